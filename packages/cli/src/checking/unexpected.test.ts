/** `--crash-in` and `--unexpected discard`: what of the environment they change, and say. */
import { readFileSync } from 'node:fs';
import { parseLink } from '@conclave/studio/link';
import { describe, expect, it } from 'vitest';
import { conclave, json, refuses, temporary } from '../fixtures/conclave.js';

const star = ['check', 'A1', '--topology', 'star:3'];
const entry = 'every node that wants to enter eventually enters';

interface Finding {
  readonly name: string;
  readonly verdict: string;
  readonly link?: string;
}

describe('--crash-in', () => {
  it('lets nodes crash only there, and says so', async () => {
    const argv = [...star, '--crash', '1', '--crash-in', 'critical'];
    const { stdout, exitCode } = await conclave(argv);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^faults .*crashes only in critical$/m);
    expect(stdout).toContain("Assumed: that nodes crash only where they are 'critical'.\n");
    const { value } = await json(...argv);
    expect(value.states).toBe(41);
    const violated = value.properties.find(({ name }: Finding) => name === entry);
    expect(violated.trace).toMatch(/→ held\n.*\n*b {2}crash\n|c {2}crash\n/);
    expect(parseLink(violated.link.split('#')[1])?.setup.budget).toEqual({
      crashes: 1,
      mayCrash: ['critical'],
    });
  });

  it('takes several tags and roles, and where not', async () => {
    const idle = ['--crash-in', '!coordinator,!waiting,!critical', '--atomic-steps'];
    const { value, exitCode } = await json(...star, '--crash', '1', ...idle);
    expect([exitCode, value.states]).toEqual([0, 65]);
  });

  refuses('check A1 --topology star:3', {
    '--crash 1 --crash-in held':
      "'held' is no tag and no role of 'central-coordinator'. There are the tags waiting, critical and the roles coordinator, client.",
    '--crash-in critical': '--crash-in has no effect where no node crashes. Add --crash 1.',
    '--crash 1 --crash-in critical,': 'It is names such as critical,waiting.',
  });
});

describe('--unexpected discard', () => {
  const argv = [...star, '--duplicate', '1', '--entries', '1', '--safety'];

  it('goes on after an unhandled message, and says which ones were discarded', async () => {
    const refused = await json(...argv);
    expect(refused.value.properties.map(({ name }: Finding) => name)).toContain(
      'every message is handled or explicitly ignored',
    );
    expect(refused.value).not.toHaveProperty('discarded');
    const { stdout } = await conclave([...argv, '--unexpected', 'discard']);
    expect(stdout).toMatch(/^unexpected +messages are discarded$/m);
    expect(stdout).toMatch(/^Assumed: that a node discards a message .*'grant' in 'released'/m);
    const { value } = await json(...argv, '--unexpected', 'discard');
    expect(value.discarded).toContainEqual({
      role: 'client',
      state: 'released',
      message: 'grant',
      steps: expect.any(Number),
    });
    expect(value.properties.map(({ name }: Finding) => name)).not.toContain(
      'every message is handled or explicitly ignored',
    );
  });

  it('writes a trace that replays', async () => {
    const path = temporary('run.txt');
    await conclave([...argv, '--unexpected', 'discard', '--trace', path]);
    expect(readFileSync(path, 'utf8')).toMatch(/^b {2}grant\(2\) from a +released$/m);
    const { exitCode, stdout } = await conclave(['replay', path]);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('were the same on fresh nodes'),
    ]);
  });
});
