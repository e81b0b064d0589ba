import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, temporary } from '../fixtures/conclave.js';

const path = fixture('two-phase-commit.js');
const system = (name: string, ...options: readonly string[]) => ['check', path, '--export', name, ...options];
const prepared = 'whoever is prepared learns the decision';

describe('conclave check of a system of plain functions', () => {
  it('--json reports what it found', async () => {
    const { exitCode, stderr, value } = await json(...system('reliable'));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(value).toMatchObject({ system: 'reliable', states: 18, transitions: 28, depth: 5, width: expect.any(Number), complete: true });
    expect(value.properties.map(({ kind, verdict }: { readonly kind: string; readonly verdict: string }) => [kind, verdict])).toEqual([
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
    expect(stdout).toContain('\n\nComplete: every reachable state was looked at.\n\n');
    expect(stdout).toMatch(
      new RegExp(
        [
          `\n✗ ${prepared}, after 3 steps:`,
          'from {"coordinator":"asking","votes":\\["working","working"\\]}',
          '0 prepares +votes: \\["prepared","working"\\]',
          '.*',
          '.*',
          '— here it comes to rest —\n$',
        ].join('\n'),
      ),
    );
  });

  it('prints whole states where they have no fields, and what next has thrown', async () => {
    const { exitCode, stdout } = await conclave(system('limping'));
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/✗ every action leads to a state, after 2 steps:\nfrom 0\nup {2}1\nup {2}2\nError: no further\n$/);
    expect(stdout).toContain('What follows an action that fails stays open.');
  });

  it('abridges a long way', async () => {
    const { stdout } = await conclave(system('far'));
    expect(stdout).toMatch(/, after 50 steps:\nfrom 0\n(up {2}\d+\n){10}… 20 steps …\nup {2}31\n(up {2}\d+\n){18}up {2}50\n$/);
  });

  it('--safety asks of states only, and says so', async () => {
    const { exitCode, stdout } = await conclave(system('blocking', '--safety'));
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Not asked, for --safety: ${prepared}.\n`);
    expect((await json(...system('blocking', '--safety'))).value.leftOut).toEqual([prepared]);
  });

  it('is incomplete at a limit', async () => {
    const { exitCode, stdout, stderr } = await conclave(system('endless', '--max-states', '500'));
    expect(exitCode).toBe(2);
    expect(stderr).toBe('incomplete: --max-states 500 was reached with 501 states found; nothing is proved to hold.\n');
    expect(stdout).toMatch(/^\? +a hundred +eventually +incomplete$/m);
    expect(stdout).toContain(
      '\nINCOMPLETE: --max-states 500 was reached with 501 states found; nothing is proved to hold. Raise the limit.\n',
    );
  });

  it('takes the only system or protocol of a module', async () => {
    const only = temporary('only.mjs', 'export const it = { initial: 0, actions: () => [], next: () => 0, properties: [] }');
    expect((await json('check', only)).value).toMatchObject({ system: 'it', states: 1 });
  });

  it.each<[string, readonly string[], string]>([
    [
      'one without properties',
      system('mute'),
      "The system 'mute' has no properties. Give it some, as in properties: [always('…', (state) => …)].",
    ],
    [
      'one whose properties are none',
      system('wrong'),
      "The system 'wrong': properties[0] is no property. Make it by always, never, sometimes, eventually or leadsTo.",
    ],
    [
      'one that fails',
      system('blind'),
      `The system 'blind' fails: Cannot read properties of undefined (reading 'at'). Again: conclave check ${path} --export blind --json`,
    ],
    ['one whose states are no plain data', system('mapped'), 'The system: state is not plain data. Use numbers, strings, '],
    [
      'what goes with protocols',
      system('endless', '--loss', '1'),
      "--loss goes with a protocol, and 'endless' is a system of plain functions. Leave out --loss.",
    ],
    [
      'a trace of it',
      system('endless', '--trace', 'run.svg'),
      "--trace goes with a protocol, and 'endless' is a system of plain functions.",
    ],
    ['walks through it', system('endless', '--walks', '5'), "--walks goes with a protocol, and 'endless' is a system of plain functions."],
    ['an option of it', system('endless', '--option', 'x=1'), "A protocol from a module has no --option, so 'x=1' leads nowhere."],
    [
      'an unknown export',
      system('other'),
      "exports no protocol or system called 'other'. Its protocols and systems: blind, blocking, endless, far, limping, mapped, mute, reliable, wrong.",
    ],
    [
      'to choose',
      ['check', path],
      'exports several protocols and systems: blind, blocking, endless, far, limping, mapped, mute, reliable, wrong. Choose one, as in --export blind.',
    ],
    [
      'a module that has none',
      ['check', fixture('nothing-to-check.js')],
      'exports no protocol or system (it exports one). Export what defineProtocol returns, or an object with initial, actions, next and properties.',
    ],
  ])('refuses %s', async (_, argv, message) => {
    const { exitCode, stdout, stderr } = await conclave([...argv, '--json']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr).toContain(message);
  });
});
