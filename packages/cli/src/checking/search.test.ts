import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, words } from '../fixtures/conclave.js';

const entry = 'every node that wants to enter eventually enters';
const fencing = 'each entry has a larger fencing token than every entry before it';
const ring = ['check', 'B3', '--topology', 'ring:4', '--order', 'fifo'];

describe('conclave check', () => {
  it('says that what follows an unhandled message was not explored', async () => {
    const { exitCode, stdout } = await conclave([
      ...['check', fixture('ping-pong.js'), '--export', 'deaf', '--topology', 'ring:3'],
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'every state before an unhandled message was explored. What follows an unhandled message was not explored.',
    );
  });

  it('--safety leaves out properties of runs, and lists them', async () => {
    const { exitCode, value } = await json('check', 'A3', '--topology', 'complete:2', '--safety');
    expect(exitCode).toBe(0);
    expect(value).toMatchObject({
      complete: true,
      leftOut: expect.arrayContaining([entry, fencing]),
    });
  });

  proof('--search depth finds the same states on longer paths, and says so', async () => {
    const [breadth, depth] = [await json(...ring), await json(...ring, '--search', 'depth')];
    expect(depth.exitCode).toBe(0);
    expect(depth.value.states).toBe(breadth.value.states);
    expect(depth.value.depth).toBeGreaterThan(breadth.value.depth);
    const { stdout } = await conclave(['check', fixture('broken-lock.ts'), '--search', 'depth']);
    expect(stdout).toContain(
      '\n  Without --search depth each run to a single state is a shortest one.\n',
    );
  });

  it('says what may help where a limit was reached', async () => {
    const { stdout } = await conclave(words`check B1 --topology complete:3 --max-states 50`);
    expect(stdout).toContain(' Raise the limit or choose a smaller system; --walks samples.');
  });

  it('--time exact and --partition are in the summary', async () => {
    const { exitCode, stdout, stderr } =
      await conclave(words`check B3 --topology ring:3 --time exact --delay 10:40 --partition 1
      --safety`);
    expect(exitCode).toBe(1); // a node that is cut off waits forever
    expect(stderr).toBe(
      'warning: LeLann–Chang–Roberts assumes channels that lose nothing; a partition loses what crosses it.\n',
    );
    expect(stdout).toMatch(
      /^faults +up to 1 partition\ntiming +exact; a message takes 10–40 ms\n/m,
    );
  });
});

describe('conclave check --drift', () => {
  const check = (drift: string) =>
    conclave(['check', 'C3', '--topology', 'complete:2', '--drift', drift]);

  it('is in the summary and in the assumptions, and warns where the protocol assumes clocks that do not drift', async () => {
    const { exitCode, stdout, stderr } = await check('0.1');
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      'warning: Failure detection by heartbeat assumes that clocks do not drift; with --drift they drift by up to 0.1.\n',
    );
    expect(stdout).toMatch(
      /^timing +exact; a message takes 50–100 ms, clocks drift by up to 0.1$/m,
    );
    expect(stdout).toContain('that a timer takes 0.9 to 1.1 times its delay, each on its own,');
  });

  it('refutes what relies on clocks that do not drift, and says so', async () => {
    const { exitCode, stdout } = await check('0.25'); // 200 · 0.75 = 150 < 100 · 1.25 + 100 − 50
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'A timer fires here. Failure detection by heartbeat assumes that clocks do not drift;',
    );
    expect(stdout).toContain('Try without --drift.');
  });
});

describe('conclave check --walks', () => {
  const walks = words`check A3 --topology complete:4 --entries 2 --walks 20 --max-depth 100`;

  proof('proves nothing, which is exit code 2', async () => {
    const { exitCode, stdout, stderr } = await conclave(walks);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'incomplete: walks prove nothing; leave out --walks to explore every interleaving.\n',
    });
    expect(stdout).toMatch(
      /^walks +20 of up to 100 steps; seed 1\nmet +[\d,]+ states in [\d,]+ steps$/m,
    );
    expect(stdout).toMatch(
      /^\? +at most one node is in the critical section +always +incomplete$/m,
    );
    expect(stdout).toMatch(/^✓ +a node is in the critical section +sometimes +reached$/m);
    expect(stdout).toContain(
      '\nINCOMPLETE: walks prove nothing; leave out --walks to explore every interleaving. They can refute ',
    );
    expect((await conclave([...walks, '--crash', '1'])).stdout).toContain(
      '\nAssumed: that a crash loses nothing of what the node sent in earlier steps.\n',
    );
    expect(stdout).toMatch(
      /\nAgain: npx conclave check A3 .* --walks 20 --max-depth 100 --seed 1\n$/,
    );
  });

  proof('takes the same walks with the same seed, and others with another', async () => {
    const first = await json(...walks, '--seed', '7');
    expect(await json(...first.value.again.split(' ').slice(2, -1))).toEqual(first);
    expect((await json(...walks, '--seed', '8')).value.states).not.toBe(first.value.states);
    expect(first.value).toMatchObject({
      seed: 7,
      walks: 20,
      complete: false,
      incomplete: expect.stringContaining('walks prove nothing'),
    });
  });

  it('finds violations with short traces', async () => {
    const { exitCode, stdout, stderr } = await conclave(
      words`check ${fixture('broken-lock.ts')} --walks 50 --safety`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toContain('✗ at most one node is in the critical section, after 6 steps:\n');
    expect(stdout).toMatch(/\nWhat to try:\n {2}Every assumption of Broken lock is met/);
    expect(stdout).toMatch(/^walks +50 of up to 1,000 steps; seed 1$/m);
  });

  it('says how to repeat a run that cannot start', async () => {
    const argv = ['check', fixture('hot-potato.js'), '--export', 'misaddressed', '--walks', '2'];
    const { exitCode, stderr } = await conclave(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      / Again: npx conclave check \S+ --export misaddressed --walks 2 --seed 1\n$/,
    );
  });
});
