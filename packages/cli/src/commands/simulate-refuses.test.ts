/** What `conclave simulate` refuses, and what it says to do instead. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, temporary, words } from '../fixtures/conclave.js';

describe('conclave simulate refuses', () => {
  const edges = (text: string) => `file:${temporary('edges.txt', text)}`;

  it.each<[string, readonly string[], string | RegExp]>([
    ['an unknown algorithm', ['A99'], "There is no algorithm 'A99'. There are A"],
    [
      'a network that does not fit',
      ['A3', '--topology', 'ring:5'],
      "Ricart–Agrawala needs a complete network; in 'ring:5' a and c have no link between them. Try complete:5.",
    ],
    [
      'an unknown network',
      ['A3', '--topology', 'rng:5'],
      "Topology 'rng:5' is of no known kind. Did you mean ring?",
    ],
    [
      'a file it cannot read',
      ['A3', '--topology', 'file:nowhere.txt'],
      "The edge list 'nowhere.txt' cannot be read: ENOENT",
    ],
    ['a delay it cannot read', ['A3', '--delay', 'fast'], "'fast' is no delay. Write fixed:5, "],
    [
      'geo without link delays',
      ['A3', '--delay', 'geo'],
      "--delay geo takes the delays of the links, and in 'complete:5' a→b has none. Use a backbone",
    ],
    [
      'a thinking time from links',
      ['A3', '--think', 'geo'],
      "'geo' is the delay of links, and --think and --hold have none. Write fixed:5.",
    ],
    [
      'an unknown order',
      ['A3', '--order', 'lifo'],
      "option '--order <order>' argument 'lifo' is invalid. Allowed choices are fifo, any.",
    ],
    [
      'a drift of 1',
      ['A3', '--drift', '1'],
      "option '--drift <ratio>' argument '1' is invalid. It is a number from 0 to below 1, in whole millionths.",
    ],
    [
      'a loss above 1',
      ['A3', '--loss', '1.5'],
      "option '--loss <p>' argument '1.5' is invalid. It is a number from 0 to 1.",
    ],
    [
      'a seed that is not a number',
      ['A3', '--seed', 'x'],
      "option '--seed <n>' argument 'x' is invalid. It is a whole number.",
    ],
    [
      'half an entry',
      ['A3', '--entries', '0.5'],
      "option '--entries <k>' argument '0.5' is invalid. It is a whole number, 0 or more.",
    ],
    [
      'a negative time',
      ['A3', '--until-time', '-1'],
      "option '--until-time <ms>' argument '-1' is invalid. It is a number of milliseconds, 0 or more.",
    ],
    [
      'entries without a critical section',
      ['B3', '--entries', '3'],
      '--entries is for a critical section, and LeLann–Chang–Roberts has none',
    ],
    [
      'unknown initiators',
      ['A3', '--initiators', 'a,z'],
      "The workload names the node 'z', which the network does not have. It has a, b, c, d, e.",
    ],
    [
      'an empty initiator',
      ['A3', '--initiators', 'a,,b'],
      "option '--initiators <nodes>' argument 'a,,b' is invalid. It is 'all', or nodes such as a,b.",
    ],
    [
      'initiators without commands',
      [fixture('client-server.js'), '--initiators', 'a'],
      '--initiators has no effect: Client and server has no optional command',
    ],
    [
      'a crash of an unknown node',
      ['A3', '--crash', 'z@5'],
      "Fault 1 (crash): 'z' is no node of 'complete:5'.",
    ],
    [
      'an unreadable crash',
      ['A3', '--crash', 'z'],
      "'z' is no crash. Write c@100, or c@100+50 for a restart 50 ms later; after it :inside for a crash in the middle of the next step, or :between for one between two.",
    ],
    [
      'an unknown option',
      ['A3', '--option', 'greedy=2'],
      "ricart-agrawala: there is no option 'greedy'. It knows acknowledged, timeout, cancel.",
    ],
    [
      'an option of another type',
      ['A7', '--option', 'greedy=many'],
      "raymond: greedy is 'many'. Give a whole number, 0 or more.",
    ],
    [
      '--export without a module',
      ['A3', '--export', 'x'],
      "--export is for a module of your own, and 'A3' is not a path. Write its path as ./module.ts.",
    ],
    [
      '--option with a module',
      [fixture('client-server.js'), '--option', 'x'],
      "A protocol from a module has no --option, so 'x' has no effect. Set it in the module.",
    ],
    [
      'a trace it cannot write',
      ['A3', '--trace', 'no/such/folder/x'],
      "The trace cannot be written to 'no/such/folder/x': ENOENT",
    ],
  ])('%s', async (_, argv, message) => {
    const { exitCode, stdout, stderr } = await conclave(['simulate', ...argv, '--json']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr.slice('error: '.length)).toContain(message);
  });

  it('an edge list with a bad line, naming it', async () => {
    const { exitCode, stderr } = await conclave(
      words`simulate A3 --topology ${edges('a b 1\nb c soon\n')}`,
    );
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^error: \S+edges\.txt:2: the delay 'soon' is not a number of milliseconds from 0 to 1e12\n$/,
    );
  });

  it('to write a trace of a run that could not start', async () => {
    const path = temporary('run.trace');
    expect(
      await conclave(['simulate', 'A3', '--topology', 'ring:5', '--trace', path]),
    ).toMatchObject({ exitCode: 2 });
    expect(existsSync(path)).toBe(false);
  });
});
