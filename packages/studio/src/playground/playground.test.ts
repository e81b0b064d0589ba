import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import * as algorithms from '@conclave/algorithms';
import { catalogue } from '@conclave/algorithms';
import { explore } from '@conclave/check';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { proof, sampled } from '@conclave/tools/sample';
import { transform } from 'sucrase';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { codeExercises } from '../course/code-exercises.js';
import { startingFile } from '../course/starting-file.js';
import { linkText, parseLink } from '../link/link.js';
import { addModule } from '../model/own.js';
import { shareModules } from '../model/page-modules.js';
import { NearWorker } from '../worker/near-worker.contract.js';
import { lineOf, pack, rowText, unpack } from './source.js';
import { Trial } from './trial.js';
import { confine, draftProtocol, moduleBundle, moduleScript } from './user-module.js';

beforeAll(() => shareModules(() => algorithms));
afterEach(() => {
  vi.useRealTimers();
});

const template = readFileSync(
  new URL('../../../cli/src/template/ticket-office.ts', import.meta.url),
  'utf8',
);
const strip = (source: string): string =>
  transform(source, { transforms: ['typescript', 'imports'] }).code;
const evaluate = (script: string): void => {
  runInThisContext(script, { filename: 'blob:written' });
};

/** What a module makes, or the error. */
function written(source: string): Protocol | string {
  evaluate(moduleScript(strip(source)));
  try {
    return draftProtocol();
  } catch (error) {
    if (!(error instanceof ConclaveError)) throw error;
    return `${error.what}. ${error.cure}`;
  }
}

describe('what is written', () => {
  it('is the protocol of the module, made with the modules of the page', () => {
    const protocol = written(template);
    expect(protocol).toMatchObject({ name: 'ticket-office' });
  });

  it('is a bare machine, with what the module says beside it', () => {
    const protocol = written(`import { createMachine } from 'xstate';
      export const light = createMachine({ id: 'light', initial: 'off', states: {
        off: { on: { set: { guard: ({ event }) => event.to > 0, target: 'on' } } }, on: {} } });
      export const examples = { set: [{ to: 0 }, { to: 1 }] };`);
    expect(protocol).toMatchObject({ name: 'light', commands: { set: { fields: ['to'] } } });
    expect(
      written(
        "import { createMachine } from 'xstate';\nexport const a = createMachine({});\nexport const b = createMachine({});",
      ),
    ).toMatch(/^It exports several protocols: a, b/);
  });

  it.each([
    [
      "import { x } from 'lodash';\n\nexport const protocol = x;",
      /^Line 1: it imports 'lodash', which the page does not have\. It has xstate,/,
    ],
    ['type A = string;\n\nexport const a = (null as any).b;', /^Line 3: TypeError: /],
    ['export const a = 1;', /^It exports no protocol \(it exports a\)/],
    [
      `${template}export const other = { ...protocol };`,
      /^It exports several protocols: protocol, other/,
    ],
    [template.replace("tags: 'waiting', on", "tags: 'wating', on"), /^Line \d+: .*waiting/],
  ])('%#. says what is wrong, and in which line', (source, expected) => {
    expect(written(source)).toMatch(expected);
  });

  it('becomes a module of the studio', () => {
    const [protocol] = addModule(moduleBundle(strip(template), 'ticket-office'), 'x', evaluate);
    expect(protocol?.name).toBe('ticket-office');
  });

  it('has no network: each use of it is an error that says so', () => {
    const scope = Object.create(
      { fetch: () => {} },
      { WebSocket: { value: class {}, configurable: true } },
    );
    confine(scope);
    for (const name of ['fetch', 'WebSocket', 'importScripts', 'indexedDB'])
      expect(() => scope[name]).toThrow(`'${name}' is refused`);
  });

  proof('may be an exercise in code', async () => {
    for (const exercise of codeExercises) {
      const protocol = written(await startingFile(exercise));
      expect(protocol, exercise.name).toMatchObject({ name: exercise.protocol });
    }
  });
});

describe('a link', () => {
  it('holds the source', async () => {
    const code = await pack(`${template}// ü → 𝒳`);
    expect(code.length).toBeLessThan(template.length * 0.6);
    const setup = { protocol: 'play', options: {}, topology: 'star:3', budget: { commands: 2 } };
    const text = linkText({ setup, view: 'world', steps: [], exercise: 'mend-lock', code });
    const link = parseLink(text);
    expect(link).toMatchObject({ setup, exercise: 'mend-lock', code });
    expect(await unpack(link?.code ?? '')).toEqual({ text: `${template}// ü → 𝒳`, isCut: false });
    expect(await unpack(await pack(''))).toEqual({ text: '', isCut: false });
  });

  it.each([0.3, 0.7, 0.95])('that was cut off keeps what came before: %d', async (part) => {
    const code = await pack(template);
    const { text, isCut } = await unpack(code.slice(0, code.length * part));
    expect(isCut).toBe(true);
    expect(text.length).toBeGreaterThan(template.length * part * 0.6);
    expect(template.startsWith(text)).toBe(true);
  });

  it('that unpacks to more than anybody writes is cut', async () => {
    const { text, isCut } = await unpack(await pack('x'.repeat(3_000_000)));
    expect([isCut, text.length < 2_000_000]).toEqual([true, true]);
  });
});

describe('a trial', () => {
  const setup = { protocol: 'play', options: {}, topology: 'star:3', budget: {} };
  const openPort = (script: string) => {
    evaluate(moduleScript(script));
    return new NearWorker();
  };

  it('tells charts and verdicts, and a counterexample of what is wrong', async () => {
    const trial = new Trial(openPort);
    trial.start(strip(template), setup);
    await expect.poll(() => trial.result.value?.title).toBe('Holds');
    expect(trial.loaded.value).toMatchObject({ name: 'ticket-office', topology: 'star:3' });
    expect(trial.loaded.value?.charts.map(({ role }) => role)).toEqual(['office', 'customer']);
    trial.start(
      strip(template.replace("actions: ['count', 'answer']", "actions: 'answer'")),
      setup,
    );
    await expect.poll(() => trial.result.value?.title).toBe('Violated');
    const finding = trial.result.value?.findings.find(({ tone }) => tone === 'false');
    expect(finding).toMatchObject({ name: 'no two customers hold the same number' });
    expect(finding?.run?.svg).toMatch(/^<svg/);
    expect(finding?.run?.text).toContain('c');
    trial.start(strip('export const none = 1;'), setup);
    await expect.poll(() => trial.problem.value?.what).toContain('It exports no protocol');
    expect(trial.result.value?.title).toBe('Violated'); // the last version that ran
  });

  it.each([
    ["target: 'served'", "target: 'servd'", "target: 'servd'"],
    ["tags: 'served',", "tags: 'served', invoke: { src: 'x' },", /^ {6}served: {$/],
    [/draw: customerSetup.*/, 'draw: () => {},', 'draw: () => {},'],
    ["fields: ['number']", "fields: ['numbr']", "fields: ['numbr']"],
    ["stable: ['last']", "stable: ['lost']", "stable: ['lost']"],
    ["actions: 'keep'", "actions: 'keeps'", "actions: 'keeps'"],
    ["ticket: { target: 'served'", "tickt: { target: 'served'", 'tickt: {'],
    ["initial: 'idle'", "initial: 'idel'", "initial: 'idel'"],
    ["kind: 'optional'", "kind: 'optionl'", "kind: 'optionl'"],
    ["distinct('served'", "distinct('servd'", "'servd'"],
    ['context.last + 1', 'context.last + Math.random()', 'Math.random()'],
  ])('marks the line that is wrong: %s → %s', async (right, wrong, line) => {
    const text = template.replace(right, wrong);
    const trial = new Trial(openPort);
    trial.start(strip(text), setup);
    await expect.poll(() => trial.problem.value).toBeDefined();
    const { value: problem = { what: '' } } = trial.problem;
    const place = lineOf(text, problem) ?? 0;
    expect(text.split('\n')[place - 1], problem.what).toMatch(line);
  });

  it('that does not end is stopped, and says so', async () => {
    vi.useFakeTimers();
    const worker = new NearWorker();
    if (worker.scope) worker.scope.onmessage = null; // it never answers
    const trial = new Trial(() => worker);
    trial.start('', setup);
    await vi.advanceTimersByTimeAsync(9_999);
    expect([trial.running.value, worker.terminated]).toEqual([true, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect([trial.running.value, worker.terminated]).toEqual([false, 1]);
    expect(trial.problem.value?.what).toBe('Stopped: the module has not ended within 10 s');
  });
});

it.each(sampled(catalogue, 2).map(({ id, make }) => [id, make] as const))(
  'a row of the catalogue %s is a module to be changed, with the same worlds',
  (_, make) => {
    const protocol = make();
    const again = written(rowText(protocol));
    if (typeof again === 'string') throw new Error(again);
    expect(again.name).toBe(`my-${protocol.name}`);
    const [one, other] = [protocol, again].map((each) =>
      explore(each, each.topology.example(2), { limits: { states: 300 } }),
    );
    expect(other?.states).toBe(one?.states);
    expect(other?.properties.map(({ verdict }) => verdict)).toEqual(
      one?.properties.map(({ verdict }) => verdict),
    );
  },
);
