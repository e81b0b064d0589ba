import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import * as algorithms from '@conclave/algorithms';
import { explore } from '@conclave/check';
import { exportIn } from '@conclave/core/internal';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { protocolOf as inCatalogue } from '@conclave/tools/catalogue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyStateMachine, StateMachine } from 'xstate';
import { protocol as office } from '../../../cli/src/template/ticket-office.js';
import { rowsLayout } from '../chart/graph.js';
import { drawnChart } from '../chart/svg.js';
import { addModule, ownProtocols } from '../model/own.js';
import { shareModules } from '../model/page-modules.js';
import { protocolOf, systemOf } from '../model/system.js';
import { bundle } from './bundle.js';

const folder = mkdtempSync(join(tmpdir(), 'conclave-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(() => shareModules(() => algorithms));

/** Writes files; the path of the first. */
function files(texts: Readonly<Record<string, string>>): string {
  const paths = Object.entries(texts).map(([name, text]) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  });
  return paths[0] ?? '';
}

const evaluate = (script: string): void => {
  runInThisContext(script);
};
const template = fileURLToPath(
  new URL('../../../cli/src/template/ticket-office.ts', import.meta.url),
);
const some = inCatalogue('A3');

describe('a bundled module', () => {
  it('gives its protocol to the page, made with the modules of the page', async () => {
    const script = await bundle(template, { protocol: office });
    expect(script).toMatch(/^\/\/ conclave-bundle: 1; Conclave \d+\.\d+\.\d+; ticket-office\n/);
    const [added] = addModule(script, 'office.js', evaluate);
    expect(added).not.toBe(office);
    // the class of this copy of XState
    expect(added?.roles.office?.machine).toBeInstanceOf(StateMachine);
    const { protocol, topology, setup } = await systemOf({
      protocol: 'ticket-office',
      options: {},
      budget: {},
    });
    expect(protocol).toBe(added);
    const found = explore(protocol, topology, setup.budget);
    expect(found.states).toBe(explore(office, topology).states);
    expect(found.properties.map(({ verdict }) => verdict)).toEqual(
      explore(office, topology).properties.map(({ verdict }) => verdict),
    );
  });

  it('brings the layouts of its statecharts', async () => {
    addModule(await bundle(template, { protocol: office }), 'office.js', evaluate);
    const own = await protocolOf('ticket-office', {});
    for (const { machine } of Object.values(own.roles)) {
      const { graph, layout } = drawnChart(machine, 'x');
      expect(layout.boxes).toHaveLength(graph.boxes.length);
      expect(layout).not.toEqual(rowsLayout(graph)); // which is drawn where there is no layout
    }
  });

  it('takes its local imports along, and several protocols, of which the last of a name counts', async () => {
    const path = files({
      'two.ts': `import { protocolOf } from '@conclave/algorithms';
        import { named } from './parts/named.js';
        const base = protocolOf('A3');
        export const one = named(base, 'one');
        export const another = named(base, 'another');
        export default one;`,
      'parts/named.ts':
        'export const named = <T>(base: T, name: string): T & { name: string } => ({ ...base, name });',
    });
    const script = await bundle(path, {
      one: { ...some, name: 'one' },
      another: { ...some, name: 'another' },
    });
    expect(addModule(script, 'two.js', evaluate).map(({ name }) => name)).toEqual([
      'one',
      'another',
    ]);
    const [machine] = Object.values((await protocolOf('another', {})).roles).map(
      (role) => role.machine,
    );
    expect(machine).toBe(Object.values((await protocolOf('one', {})).roles)[0]?.machine);
    expect(ownProtocols().filter(({ source }) => source === script)).toHaveLength(2);
    addModule(script, 'two.js', evaluate);
    expect(ownProtocols().filter(({ protocol }) => protocol.name === 'one')).toHaveLength(1);
  });
});

describe('bundling bare machines', () => {
  const text = `import { assign, createMachine, fromPromise } from 'xstate';
    export const user = createMachine({
      id: 'loadUser',
      context: { name: '' },
      initial: 'idle',
      states: {
        idle: { on: { fetch: 'loading' } },
        loading: {
          invoke: {
            src: fromPromise(async () => 'x'),
            onDone: { target: 'idle', actions: assign({ name: ({ event }) => event.output }) },
          },
        },
      },
    });
    export const actors = { loading: { output: ['ada'] } };`;

  it('makes them protocols in the page, stepped with any number of events, drawn as they stand', async () => {
    const path = files({ 'user.ts': text });
    const loaded = (await import(/* @vite-ignore */ path)) as Record<string, unknown>;
    const made = exportIn(loaded, 'user', { file: 'user' }) as Protocol;
    const [protocol] = addModule(await bundle(path, { user: made }), 'user.js', evaluate);
    expect(protocol?.name).toBe('load-user');
    const { worlds } = await systemOf({ protocol: 'load-user', options: {}, budget: {} });
    let { initial: world } = worlds;
    const taken: string[] = [];
    for (let at = 0; at < 6; at++) {
      const [action] = worlds.actions(world);
      if (action?.type !== 'command') throw new Error('no command');
      taken.push(action.command.type);
      world = worlds.next(world, action);
    }
    const ends = 'xstate.done.actor.0.loadUser.loading';
    expect(taken).toEqual(['fetch', ends, 'fetch', ends, 'fetch', ends]);
    const { graph, layout } = drawnChart(protocol?.drawn?.node as AnyStateMachine, 'x');
    expect(layout.boxes).toHaveLength(graph.boxes.length);
    expect(layout).not.toEqual(rowsLayout(graph));
  });
});

describe('bundling refuses, with file and line,', () => {
  it.each([
    [
      'a module of Node',
      "export const protocol = 1;\nimport { readFileSync } from 'node:fs';\nreadFileSync('x');",
      "it imports 'node:fs', which a page does not have",
      2,
    ],
    [
      'one without its prefix',
      "\n\nimport fs from 'fs';\nexport const protocol = fs;",
      "it imports 'fs', which a page does not have",
      3,
    ],
    [
      'a package that is not installed',
      "import { x } from 'no-such-package';\nexport const protocol = x;",
      'Could not resolve "no-such-package"',
      1,
    ],
    [
      'await at the top level',
      'export const protocol = await 1;',
      'Top-level await is currently not supported with the "iife" output format',
      1,
    ],
    ['a mistake of syntax', 'export const protocol = ;', 'Unexpected ";"', 1],
  ])('%s', async (name, text, why, line) => {
    const path = files({ [`${name.replaceAll(' ', '-')}.ts`]: text });
    const refusal = bundle(path, { protocol: some });
    await expect(refusal).rejects.toThrow(ConclaveError);
    await expect(refusal).rejects.toThrow(`.ts:${line}: ${why}`);
  });

  it('two protocols of one name', async () => {
    await expect(bundle(template, { protocol: office, other: office })).rejects.toThrow(
      "two protocols with the name 'ticket-office'",
    );
  });
});

describe('a page refuses', () => {
  const before = () => ownProtocols().length;
  it.each([
    [
      'a script that is no bundle',
      'alert(1)',
      /office.js is not a bundled module: .*conclave studio/,
    ],
    [
      'another form',
      '// conclave-bundle: 2; Conclave 9.0.0; x\n',
      /office.js has form '2' \(made by Conclave 9.0.0\), and this page reads form 1/,
    ],
    [
      'a bundle that fails',
      "// conclave-bundle: 1; Conclave 0.1.0; x\nthrow new Error('no process here')",
      /office.js fails: no process here\. /,
    ],
    [
      'a bundle without a protocol',
      '// conclave-bundle: 1; Conclave 0.1.0; x\n',
      /office.js has no protocol/,
    ],
    [
      'one that fails after it gave a protocol',
      "// conclave-bundle: 1\nconclave.register({ protocols: [{ name: 'half' }] }); throw new Error('late')",
      /late/,
    ],
  ])('%s, and stays as it is', (_, script, message) => {
    const had = before();
    expect(() => addModule(script, 'office.js', evaluate)).toThrow(message);
    expect(before()).toBe(had);
  });
});
