import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, refuses, temporary, words } from '../fixtures/conclave.js';

const path = fixture('two-phase-commit.js');
const system = (name: string, ...options: readonly string[]) =>
  words`check ${path} --export ${name} ${options}`;
const prepared = 'a prepared participant learns the decision';

describe('conclave check of a system of plain functions', () => {
  it('--json reports what it found', async () => {
    const { exitCode, stderr, value } = await json(...system('reliable'));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(value).toMatchObject({
      system: 'reliable',
      states: 18,
      transitions: 28,
      depth: 5,
      width: expect.any(Number),
      complete: true,
    });
    expect(
      value.properties.map(
        ({ kind, verdict }: { readonly kind: string; readonly verdict: string }) => [kind, verdict],
      ),
    ).toEqual([
      ['never', 'holds'],
      ['sometimes', 'reached'],
      ['leadsTo', 'holds'],
      ['always', 'holds'],
    ]);
    expect(value.properties[1].path.at(-1)).toEqual({
      action: '1 follows',
      state: { coordinator: 'committed', votes: ['committed', 'committed'] },
    });
  });

  it('prints the steps to a violation, and what each changes', async () => {
    const { exitCode, stdout, stderr } = await conclave(system('blocking'));
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toMatch(
      /^blocking, a system of plain functions\nfairness +weak\nfound +\d+ states, \d+ transitions, depth \d+, width \d+\n/,
    );
    expect(stdout).toContain('\n\nComplete: every reachable state was explored.\n\n');
    expect(stdout).toMatch(
      new RegExp(
        [
          `\n✗ ${prepared}, after 3 steps:`,
          'from {"coordinator":"asking","votes":\\["working","working"\\]}',
          '0 prepares +votes: \\["prepared","working"\\]',
          '.*',
          '.*',
          '— nothing more happens —\n$',
        ].join('\n'),
      ),
    );
  });

  it('prints whole states where they have no fields, and the error that next throws', async () => {
    const { exitCode, stdout } = await conclave(system('limping'));
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /✗ every action leads to a state, after 2 steps:\nfrom 0\nup {2}1\nup {2}2\nError: no further\n$/,
    );
    expect(stdout).toContain('What follows an action that fails was not explored.');
  });

  it('an error state that is never entered is good news, with a remark; what reads nothing of the system is not', async () => {
    const flagged = (name: string) => ['check', fixture('flagged.js'), '--export', name];
    const calm = await conclave(flagged('calm'));
    expect(calm.exitCode).toBe(0);
    expect(calm.stdout).toMatch(/✓ +an error +never +holds\n/);
    const remark = 'nothing that it looks at changes: error is always false';
    expect(calm.stdout).toContain(`Remark on 'an error': ${remark}.\n`);
    expect((await json(...flagged('calm'))).value.properties[0]).toEqual({
      name: 'an error',
      kind: 'never',
      verdict: 'holds',
      remark,
    });
    const misspelt = await conclave(flagged('misspelt'));
    expect(misspelt.exitCode).toBe(2);
    expect(misspelt.stdout).toMatch(/\? +an error +never +vacuous\n/);
    expect(misspelt.stdout).not.toContain('Remark');
  });

  it('abridges a long run', async () => {
    const { stdout } = await conclave(system('far'));
    expect(stdout).toMatch(
      /, after 50 steps:\nfrom 0\n(up {2}\d+\n){10}… 20 steps …\nup {2}31\n(up {2}\d+\n){18}up {2}50\n$/,
    );
  });

  it('--safety leaves out properties of runs, and says so', async () => {
    const { exitCode, stdout } = await conclave(system('blocking', '--safety'));
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Left out by --safety: ${prepared}.\n`);
    expect((await json(...system('blocking', '--safety'))).value.leftOut).toEqual([prepared]);
  });

  it('is incomplete at a limit', async () => {
    const { exitCode, stdout, stderr } = await conclave(system('endless', '--max-states', '500'));
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'incomplete: --max-states 500 was reached with 501 states found; nothing is proved to hold.\n',
    );
    expect(stdout).toMatch(/^\? +a hundred +eventually +incomplete$/m);
    expect(stdout).toContain(
      '\nINCOMPLETE: --max-states 500 was reached with 501 states found; nothing is proved to hold. Raise the limit.\n',
    );
  });

  it('accepts the only system or protocol of a module', async () => {
    const only = temporary(
      'only.mjs',
      'export const it = { initial: 0, actions: () => [], next: () => 0, properties: [] }',
    );
    expect((await json('check', only)).value).toMatchObject({ system: 'it', states: 1 });
  });

  it('accepts a module whose exports are a system, also beside others', async () => {
    const named =
      'export const initials = [0, 5], actions = (n) => (n < 9 ? ["up"] : []), next = (n) => n + 1, properties = [], done = (n) => n === 9;';
    const alone = temporary('counter.mjs', named);
    expect((await json('check', alone)).value).toMatchObject({
      system: 'counter',
      states: 10,
      depth: 4,
      ends: 1,
      properties: [{}, { verdict: 'holds' }],
    });
    const beside = temporary(
      'both.mjs',
      `${named} export const other = { initial: 0, actions: () => [], next: () => 0, properties: [] };`,
    );
    expect((await conclave(['check', beside])).stderr).toContain(
      'exports several protocols and systems: both, other. Choose one, as in --export both.',
    );
    expect((await json('check', beside, '--export', 'both')).value).toMatchObject({
      system: 'both',
      states: 10,
    });
    expect((await json('check', beside, '--export', 'other')).value).toMatchObject({
      system: 'other',
      states: 1,
    });
  });

  it('finds deadlocks, and says where it did not look for them', async () => {
    const { stdout } = await conclave(system('far'));
    expect(stdout).toContain(
      'Not checked: whether a run may end there. One state has no action; give done: (state) => true where it may.\n',
    );
    const text =
      "export const it = { initial: { n: 0 }, actions: ({ n }) => (n < 2 ? ['up'] : []), next: ({ n }) => ({ n: n + 1 }), properties: [], done: ({ n }) => n === 3 }";
    const { exitCode, stdout: deadlock } = await conclave(['check', temporary('stops.mjs', text)]);
    expect(exitCode).toBe(1);
    expect(deadlock).toContain(
      '✗ no run ends before it is done, after 2 steps:\nfrom {"n":0}\nup  n: 1\nup  n: 2\n',
    );
    expect(deadlock).not.toContain('Not asked');
  });

  it('says which fairness would exclude a run that violates a property', async () => {
    const at = (fair: string) =>
      temporary(
        'rests.mjs',
        `export const it = { initial: 0, actions: (n) => (n < 2 ? ['up'] : []), next: (n) => n + 1, properties: [{ kind: 'eventually', name: 'two', holds: (n) => n === 2 }]${fair} }`,
      );
    const without = await conclave(['check', at('')]);
    expect(without.exitCode).toBe(1);
    expect(without.stdout).toContain(
      '✗ two, in the initial state:\nfrom 0\n— nothing more happens —\n',
    );
    expect(without.stdout).toContain(
      'No action is fair here, so each may be postponed forever: say with fair which may not, as in fair: (action) => action.\n',
    );
    expect((await conclave(['check', at(', fair: () => undefined')])).stdout).toContain(
      'Where a run ends, up may be postponed forever: fair has no class for it.\n',
    );
    const granted = await conclave(['check', at(', fair: (action) => action')]);
    expect(granted.exitCode).toBe(0);
    expect(granted.stdout).not.toContain('granted');
  });

  refuses(`check ${path}`, {
    '--export mute':
      "The system 'mute' has no properties. Give it some, as in properties: [always('…', (state) => …)].",
    '--export wrong':
      '\'rain\' has the kind "perhaps"; a system of plain functions has properties of other kinds. Use always, never, sometimes, eventually, almostSurely, leadsTo.',
    '--export blind':
      "Property 'seen' fails: Cannot read properties of undefined (reading 'at') (two-phase-commit.js:65:80), in the state 0. Let it answer for every state.",
    '--export mapped':
      'The system: initial (an instance of Map) is not plain data. Use numbers, strings, ',
    '--export endless --loss 1':
      "--loss is for a protocol, and 'endless' is a system of plain functions. Leave out --loss.",
    '--export endless --trace run.svg':
      "--trace is for a protocol, and 'endless' is a system of plain functions.",
    '--export endless --walks 5':
      "--walks is for a protocol, and 'endless' is a system of plain functions.",
    '--export endless --option x=1':
      "A protocol from a module has no --option, so 'x=1' has no effect.",
    '--export other':
      "exports no protocol or system called 'other'. Its protocols and systems: blind, blocking, endless, far, limping, mapped, mute, reliable, wrong.",
    '--max-states 9':
      'exports several protocols and systems: blind, blocking, endless, far, limping, mapped, mute, reliable, wrong. Choose one, as in --export blind.',
  });
  refuses('check', {
    [fixture('nothing-to-check.js')]:
      'exports no protocol or system (it exports one). Export a statechart of XState, what defineProtocol returns, an object with initial, actions, next and properties, or these by name: https://github.com/conclave-ts/conclave/blob/main/docs/your-machine.md.',
  });
});
