import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, json } from '../fixtures/conclave.js';

const entry = 'every node that wants to enter eventually enters';
const fencing = 'each entry has a larger fencing token than every entry before it';
const election = 'every live node knows the one leader';
const ofRuns = [
  election,
  'a node that knows the leader does not forget it',
  'a leader stays the leader',
  'a node that has sent a message waits until it knows the leader',
  'a node that waits keeps waiting until it knows the leader',
  'the node that announces the leader terminates',
  'no node sends or passes on a candidate smaller than itself',
  'a node sends one message at a time',
]
  .map((name) => `'${name}'`)
  .join(', ');
const ring = ['check', 'B3', '--topology', 'ring:4', '--order', 'fifo'];
const star = ['check', fixture('client-server.js'), '--topology', 'star:4'];

describe('conclave check --workers', () => {
  it('finds the same with one thread', async () => {
    const [all, one] = [await json(...star), await json(...star, '--workers', '1')];
    expect({ ...one.value, seconds: 0, argv: [] }).toEqual({ ...all.value, seconds: 0, argv: [] });
  });

  it('wants as many as the machine runs at once', async () => {
    const { exitCode, stderr } = await conclave([...star, '--workers', '5000']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--workers is 5000, and this machine runs');
  });
});

describe('conclave check --reduce', () => {
  it.each([
    ['order', ring],
    ['all', ring],
  ])('%s explores fewer states', async (reduce, argv) => {
    const [full, reduced] = [
      await json(...argv),
      await json(...argv, '--reduce', reduce, '--safety'),
    ];
    expect(reduced.exitCode).toBe(0);
    expect(reduced.value.complete).toBe(true);
    expect(reduced.value.states).toBeLessThan(full.value.states / 2);
  });

  it('symmetry explores one of the states that only swap nodes', async () => {
    const [full, reduced] = [await json(...star), await json(...star, '--reduce', 'symmetry')];
    expect([full.exitCode, reduced.exitCode]).toEqual([0, 0]);
    expect([full.value.states, reduced.value.states]).toEqual([27, 10]);
    expect([full.value.assumptions, reduced.value.assumptions]).toEqual([[], []]);
    expect((await conclave([...star, '--reduce', 'symmetry'])).stdout).toMatch(
      /\(--reduce symmetry\), was explored\.$/m,
    );
  });

  it('none is a search without reduction', async () => {
    expect((await json(...ring, '--reduce', 'none')).value).toMatchObject({
      complete: true,
      coverage: [expect.anything()],
    });
  });

  it('does not judge properties of runs, which is exit code 2, and says so', async () => {
    const { exitCode, stdout, stderr } = await conclave([...ring, '--reduce', 'order']);
    const why = `not judged: ${ofRuns}. --reduce order cannot prove properties of runs; leave that out, or check properties of states only, with --safety.`;
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `incomplete: ${why}\n` });
    expect(stdout).toMatch(new RegExp(`^\\? +${election} +eventually +incomplete$`, 'm'));
    expect(stdout).toContain(`\nINCOMPLETE: ${why}\n`);
    expect(stdout).not.toContain('Complete:');
    expect((await json(...ring, '--reduce', 'order')).value).toMatchObject({
      complete: true,
      incomplete: why,
    });
  });

  it('is complete with --safety, and lists what was left out', async () => {
    const { exitCode, stdout, stderr } = await conclave([...ring, '--reduce', 'order', '--safety']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(
      `Left out by --safety: a node sends one message at a time.\n\nComplete: every reachable state, or an equivalent one (--reduce order), was explored.\n`,
    );
    expect(stdout).toContain('Left out by --safety: a leader stays the leader.');
    expect(stdout).not.toContain('coverage');
  });

  proof('still finds a violation', async () => {
    const { exitCode, stdout } = await conclave([
      'check',
      fixture('broken-lock.ts'),
      '--reduce',
      'all',
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/✗ at most one node is in the critical section, after \d+ steps:\n/);
    expect(stdout).toContain(
      '\n  Without --reduce all each run to a single state is a shortest one.\n',
    );
  });

  it('says that what follows an unhandled message was not explored', async () => {
    const { exitCode, stdout } = await conclave([
      'check',
      fixture('ping-pong.js'),
      '--export',
      'deaf',
      '--topology',
      'ring:3',
      '--reduce',
      'order',
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      '(--reduce order), was explored. What follows an unhandled message was not explored.',
    );
  });
});

describe('conclave check', () => {
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

  it('--time exact does not recommend reductions, which it has not', async () => {
    const { stdout } = await conclave([
      'check',
      'B1',
      '--topology',
      'complete:3',
      '--max-states',
      '50',
    ]);
    expect(stdout).toContain(' Raise the limit or choose a smaller system; --walks samples.');
  });

  it('--time exact and --partition are in the summary', async () => {
    const { exitCode, stdout, stderr } = await conclave([
      'check',
      'B3',
      '--topology',
      'ring:3',
      '--time',
      'exact',
      '--delay',
      '1:4',
      '--unit',
      '10ms',
      '--partition',
      '1',
      '--safety',
    ]);
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
  const walks = [
    'check',
    'A3',
    '--topology',
    'complete:4',
    '--entries',
    '2',
    '--walks',
    '20',
    '--steps',
    '100',
  ];

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
    expect(stdout).toMatch(/\nAgain: conclave check A3 .* --walks 20 --steps 100 --seed 1\n$/);
  });

  proof('takes the same walks with the same seed, and others with another', async () => {
    const first = await json(...walks, '--seed', '7');
    expect(await json(...first.value.again.split(' ').slice(1, -1))).toEqual(first);
    expect((await json(...walks, '--seed', '8')).value.states).not.toBe(first.value.states);
    expect(first.value).toMatchObject({
      seed: 7,
      walks: 20,
      complete: false,
      incomplete: expect.stringContaining('walks prove nothing'),
    });
  });

  it('finds violations with short traces', async () => {
    const { exitCode, stdout, stderr } = await conclave([
      'check',
      fixture('broken-lock.ts'),
      '--walks',
      '50',
      '--safety',
    ]);
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
      / Again: conclave check \S+ --export misaddressed --walks 2 --seed 1\n$/,
    );
  });
});
