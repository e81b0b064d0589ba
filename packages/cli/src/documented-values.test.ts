/**
 * Each option of each command is taken with each value that its declaration names: its choices, its
 * default, and what its meaning gives as an example (`such as ring:3`). A default is as no option.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage } from '@conclave/core/embedding/node';
import { star } from '@conclave/core/topology';
import { quickOf, sampled } from '@conclave/tools/sample';
import { Command, type Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedRun } from './conform/recorded-run.contract.js';
import { conclave, fixture } from './fixtures/conclave.js';
import { protocolIn } from './input/module.js';
import type { Session } from './session.js';

const folder = mkdtempSync(join(tmpdir(), 'conclave-values-'));
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));
const own = fixture('client-server.js');
const link = '#ricart-agrawala?order=any';

/** What each command is tried with; the others with a protocol on two nodes. */
const bases: Readonly<Record<string, string>> = {
  list: '',
  chart: 'A3',
  mutate: 'A3',
  studio: `A3 --out ${at('page.html')}`,
  lock: `nightly true --store ${at('locks')}`,
  init: `my-lock --dir ${at('first')}`,
  merge: '',
  worker: '',
  replay: `${at('run.txt')} --protocol ${own}`,
  members: at('storages'),
  conform: `${at('journals')} --protocol ${own}`,
  course: '',
  grade: at('submissions'),
};

interface Example {
  /** Values that the declaration does not name. */
  readonly values?: readonly string[];
  /** In place of what the command is tried with. */
  readonly base?: string;
  /** What the option needs beside it. */
  readonly beside?: string;
  /** The run ends as soon as it looks whether it is interrupted. */
  readonly interrupted?: true;
  /** Why none is tried. */
  readonly untried?: string;
}

const timed: Example = { beside: '--time exact --delay 1:4' };
const crashing: Example = { beside: '--crash 1' };
const walking: Example = { beside: '--walks 2' };
const sweeping: Example = { beside: '--seeds 1..8' };
const served: Example = { untried: 'it needs a server: shards/queue.test.ts' };
const traces: Example = {
  values: ['txt', 'svg', 'animated.svg', 'mmd', 'shiviz'].map((end) => at(`trace.${end}`)),
};

/** Not every format of `export` has it. */
const inGraphs = ({ beside = '', ...example }: Example): Example => ({
  ...example,
  beside: `${beside} --format aut`,
});

/** By option, or by command and option. */
const examples: Readonly<Record<string, Example>> = {
  address: { values: ['https://example.org/studio.html'] },
  'atomic-steps': crashing,
  bundle: { base: own, values: [at('bundle.js')] },
  'chart role': { values: ['node'] },
  crash: { values: ['1'] },
  'crash-in': crashing,
  delay: { beside: '--time exact', values: ['1:4'] },
  dir: { base: 'my-lock', values: [at('second')] },
  drift: timed,
  duplicate: { values: ['1'] },
  exercises: { untried: 'it needs a module: course/submissions.contract.ts' },
  cost: { values: ['messages', 'steps'] },
  export: { base: fixture('ping-pong.js'), values: ['pingPong'], interrupted: true },
  'conform export': { values: ['default'] },
  'export drift': inGraphs(timed),
  'export delay': inGraphs({ beside: '--time exact', values: ['10:40'] }),
  'export stay': inGraphs({ ...timed, values: ['critical=0:5'] }),
  'export out': { values: [at('model.pml')] },
  'export partition': inGraphs({ values: ['1'] }),
  'export time': inGraphs({ base: 'A3 --option acknowledged --topology complete:2' }),
  'export unsent': inGraphs(crashing),
  'expected duplicate': { beside: '--unexpected discard', values: ['1'] },
  'expected entries': { values: ['2'] },
  'expected restart': { beside: '--crash 1 --unexpected discard', values: ['1'] },
  'fail-fast': sweeping,
  from: { base: own, values: [at('run.txt')] },
  graph: { values: [at('graph.drn'), at('graph.tra')] },
  lab: { values: ['1'] },
  link: { values: [link] },
  'grade seed': { values: ['7'] },
  'lock store': { base: 'nightly true', values: [at('locks')] },
  'lock wait': { values: ['1000'] },
  loss: { values: ['1'] },
  'max-depth': { values: ['3'] },
  'max-memory': { values: ['1000'] },
  'max-states': { values: ['1000000'] },
  'max-seconds': { values: ['60'] },
  'merge json': served,
  entries: { values: ['2', 'unlimited'], interrupted: true },
  'simulate entries': { values: ['2'] },
  'mutate entries': { values: ['2'] },
  'mutate max-depth': walking,
  nodes: { values: ['a,b,c'] },
  operators: { values: ['ignore,drop-tag'] },
  option: { base: 'A7', interrupted: true },
  out: { values: [at('out')] },
  partition: { values: ['1'] },
  property: { values: ['critical section'] },
  protocol: { values: [own] },
  queue: served,
  'replay export': { values: ['default'] },
  'replay topology': { beside: '--events', values: ['star:2'] },
  'replay trace': { ...traces, beside: '--events' },
  restart: { ...crashing, values: ['1'] },
  results: { values: [at('results')] },
  seed: walking,
  seeds: walking,
  shard: { beside: '--json' },
  'check shard': { beside: '--walks 2 --seeds 1..8 --json' },
  shards: served,
  'simulate crash': { values: ['a@100', 'a@100+50', 'a@100:between', 'a@100:inside'] },
  'simulate delay': { base: 'A3 --topology abilene' },
  'simulate drift': {},
  'simulate seed': {},
  'simulate seeds': {},
  'simulate shard': { beside: '--seeds 1..8 --json' },
  'simulate topology': { base: 'A10' },
  'simulate until-steps': { values: ['10'] },
  'simulate until-time': { values: ['10'] },
  'simulate workers': sweeping,
  stay: { ...timed, values: ['critical=0:5'] },
  'studio trace': { values: [at('run.txt')], base: own },
  time: { base: 'A3 --option acknowledged --topology complete:2' },
  topology: { base: 'B3' },
  trace: traces,
  unsent: crashing,
  until: { values: ['critical'] },
  walks: { values: ['2'] },
  watch: { untried: 'it goes on until it is interrupted: commands/studio.test.ts' },
  within: { values: ['5'] },
  'studio out': { base: 'A3', values: [at('other.html')] },
  workers: { values: ['1'] },
  'worker json': served,
  'worker workers': served,
};

/** All commands, as they are declared. */
async function declared(): Promise<readonly Command[]> {
  const program = new Command();
  for (const file of readdirSync(new URL('commands/', import.meta.url))) {
    if (!/^[a-z]+\.ts$/.test(file)) continue;
    const module: Record<string, (program: Command, session: Session) => void> = await import(
      `./commands/${file}`
    );
    module[`${file.slice(0, -3)}Command`]?.(program, {} as Session); // it runs none
  }
  return program.commands;
}

/** Whether the option reads this text, which its meaning may only mention. */
function reads({ parseArg }: Option, text: string): boolean {
  try {
    parseArg?.(text, undefined);
    return parseArg !== undefined;
  } catch {
    return false;
  }
}

/** `20,000`, as the command line takes it. */
const withoutCommas = (text: string): string =>
  /^\d[\d,]*$/.test(text) ? text.replaceAll(',', '') : text;

/** `such as ring:3 or complete:3; a small one`: the words there that are no sentence. */
const mentionedIn = (meaning: string): readonly string[] =>
  [...meaning.matchAll(/such as (.+?)(?=[;)]|: |$)/g)]
    .flatMap(([, texts = '']) => texts.split(/, | or /))
    .map(withoutCommas)
    .filter((text) => !/ |[A-Z]/.test(text));

/** One value, not `(default: 1, and 2)`. */
function defaultsOf(option: Option): readonly string[] {
  const [, value = ''] = /\(default: ([^\s;)]+)\)/.exec(option.description) ?? [];
  const text = withoutCommas(value);
  return text !== '' && (option.argChoices?.includes(text) ?? reads(option, text)) ? [text] : [];
}

function valuesOf(option: Option, { values = [] }: Example): readonly string[] {
  if (option.argChoices) return option.argChoices;
  const isText = option.parseArg === undefined;
  const read = mentionedIn(option.description).filter((text) => isText || reads(option, text));
  return [...new Set([...values, ...defaultsOf(option), ...read])];
}

const withValue = (option: Option, value: string): readonly string[] =>
  value === '' ? [option.long ?? ''] : [option.long ?? '', value];

const words = (text: string): readonly string[] => text.split(' ').filter(Boolean);

const cases = (await declared()).flatMap((command) =>
  command.options.map((option) => {
    const name = command.name();
    const flag = option.long?.slice(2) ?? '';
    const example = examples[`${name} ${flag}`] ?? examples[flag] ?? {};
    const { base = bases[name] ?? 'A3 --topology complete:2', beside = '' } = example;
    const values = option.required ? valuesOf(option, example) : [''];
    const start = [name, ...words(base), ...words(beside)];
    const interrupted = name === 'prove' || name === 'mutate' || example.interrupted === true;
    return { name: `${name} --${flag}`, option, start, values, interrupted, ...example };
  }),
);

beforeAll(async () => {
  for (const name of ['journals', 'storages', 'submissions']) mkdirSync(at(name));
  writeFileSync(at('submissions/ada'), link);
  const protocol = await protocolIn(own, undefined);
  for (const { name, text } of await recordedRun(protocol, star(['a', 'b']), { seed: 1, steps: 8 }))
    writeFileSync(join(at('journals'), name), [...text].join(''));
  const storage = fileStorage(at('storages/a'));
  const noted = { noted: {}, former: null, bindsFor: 0, registered: true };
  const registration = { node: 'a', storage: 'a', terms: { epoch: 1 }, nodes: ['a'], ...noted };
  storage.write({ incarnation: 1, fields: {}, registration });
  storage.close?.();
  await conclave(['simulate', own, '--topology', 'star:2', '--trace', at('run.txt')]);
});

/** What the run found; not how long it took, and how to repeat it. */
const findings = (text: string): string =>
  text.replaceAll(/[\d.,]+ (m?s|\w+\/s)\b|^Again: .*/gm, '…');

it('each option that takes a value has an example in this file, or in its meaning', () => {
  const without = cases.filter(({ values, untried = '' }) => values.length + untried.length === 0);
  expect(without.map(({ name }) => name)).toEqual([]);
  for (const { untried = ': why' } of cases) expect(untried).toMatch(/: \w+/);
});

describe('a documented value of', () => {
  const tried = cases.filter(({ untried }) => untried === undefined);
  /** `npm test` takes some of those of the commands that most people use. */
  const usual = quickOf(tried, ({ start }) => /^(check|simulate|list|chart)$/.test(`${start[0]}`));

  it.each(sampled(usual, 20))('$name', async ({ option, start, values, interrupted }) => {
    const io = { clock: () => 0, ...(interrupted && { interrupted: () => true }) };
    const defaults = defaultsOf(option);
    for (const value of values) {
      const ended = await conclave([...start, ...withValue(option, value)], io);
      expect(ended.stderr, value).not.toMatch(/^error:/m);
      if (!defaults.includes(value)) continue;
      const byDefault = await conclave(start, io);
      const given = ` ${option.long} ${value}`; // a model names its command line
      expect(findings(ended.stdout.replaceAll(given, ''))).toBe(findings(byDefault.stdout));
      expect(ended.exitCode).toBe(byDefault.exitCode);
    }
  });
});
