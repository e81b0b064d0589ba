import { describe, expect, it } from 'vitest';
import { conclave, fixture, json } from '../fixtures/conclave.js';

const entry = 'every node that wants to enter eventually enters';
const fencing = 'each entry has a larger fencing token than every entry before it';
const election = 'every live node knows the one leader';
const ofRuns = [
  election,
  'the node that announces the leader knows that all know',
  'a node that knows the leader does not forget it',
  'a leader stays the leader',
  'a node that has sent something waits until it knows the leader',
  'a node that waits goes on to wait until it knows the leader',
  'no node sends or passes on a candidate smaller than itself',
  'a node sends one message at a time',
]
  .map((name) => `'${name}'`)
  .join(', ');
const ring = ['check', 'B3', '--topology', 'ring:4', '--order', 'fifo'];
const star = ['check', fixture('client-server.js'), '--topology', 'star:4'];

interface Finding {
  readonly name: string;
  readonly verdict: string;
}
const verdictOf = (value: { readonly properties: readonly Finding[] }, name: string) =>
  value.properties.find((finding) => finding.name === name)?.verdict;

describe('conclave check --reduce', () => {
  it.each([
    ['order', ring],
    ['all', ring],
  ])('%s looks at fewer states', async (reduce, argv) => {
    const [full, reduced] = [await json(...argv), await json(...argv, '--reduce', reduce, '--safety')];
    expect(reduced.exitCode).toBe(0);
    expect(reduced.value.complete).toBe(true);
    expect(reduced.value.states).toBeLessThan(full.value.states / 2);
  });

  it('symmetry looks at one of those that only swap nodes', async () => {
    const [full, reduced] = [await json(...star), await json(...star, '--reduce', 'symmetry')];
    expect([full.exitCode, reduced.exitCode]).toEqual([0, 0]);
    expect([full.value.states, reduced.value.states]).toEqual([27, 10]);
    expect([full.value.assumptions, reduced.value.assumptions]).toEqual([[], []]);
    expect((await conclave([...star, '--reduce', 'symmetry'])).stdout).toMatch(/\(--reduce symmetry\), was looked at\.$/m);
  });

  it('none is a search like any other', async () => {
    expect((await json(...ring, '--reduce', 'none')).value).toMatchObject({ complete: true, coverage: [expect.anything()] });
  });

  it('judges no runs, which is exit code 2, and says so', async () => {
    const { exitCode, stdout, stderr } = await conclave([...ring, '--reduce', 'order']);
    const why = `not judged: ${ofRuns}. With --reduce order no runs are judged; leave that out, or ask of states only, with --safety.`;
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `incomplete: ${why}\n` });
    expect(stdout).toMatch(new RegExp(`^\\? +${election} +eventually +incomplete$`, 'm'));
    expect(stdout).toContain(`\nINCOMPLETE: ${why}\n`);
    expect(stdout).not.toContain('Complete:');
    expect((await json(...ring, '--reduce', 'order')).value).toMatchObject({ complete: true, incomplete: why });
  });

  it('with --safety is complete, and tells what it rests on and what was not asked', async () => {
    const { exitCode, stdout, stderr } = await conclave([...ring, '--reduce', 'order', '--safety']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(
      `Not asked, for --safety: a node sends one message at a time.\n\nComplete: every reachable state, or one that stands for it (--reduce order), was looked at.\n`,
    );
    expect(stdout).toContain('Not asked, for --safety: a leader stays the leader.');
    expect(stdout).not.toContain('coverage');
  });

  it('still finds what is wrong', async () => {
    const { exitCode, stdout } = await conclave(['check', fixture('broken-lock.ts'), '--reduce', 'all']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/✗ at most one node is in the critical section, after \d+ steps:\n/);
    expect(stdout).toContain('\n  Without --reduce all each run to a single state is a shortest one.\n');
  });

  it('leaves open what follows an unhandled message, for no fault of its own', async () => {
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
    expect(stdout).toContain('(--reduce order), was looked at. What follows a message that nothing handles stays open.');
  });
});

describe('conclave check --compact', () => {
  it('tells how likely it is to have overlooked something', async () => {
    const { exitCode, value } = await json('check', 'A3', '--topology', 'complete:3', '--compact', '--safety');
    expect(exitCode).toBe(0);
    expect(value).toMatchObject({ complete: true, states: 6644, leftOut: expect.arrayContaining([entry, fencing]) });
    expect(value.omissionProbability).toBeGreaterThan(0);
    expect(value.omissionProbability).toBeLessThan(1e-9);
    expect((await conclave(['check', 'A3', '--topology', 'complete:3', '--compact', '--safety'])).stdout).toMatch(
      /^Complete: every reachable state was looked at\.\nAssumed: that no two states share their hash, but for a probability of at most \d\.\de-\d+\.$/m,
    );
  });

  it('draws its hash functions from a seed that it tells, or is given', async () => {
    const small = ['check', 'A3', '--topology', 'complete:2', '--compact', '--safety'];
    const [first, again] = [(await json(...small)).value, (await json(...small, '--seed', '7')).value];
    expect(first.seed).toEqual(expect.any(Number));
    expect(again).toMatchObject({ seed: 7, states: first.states });
  });

  it('judges no runs', async () => {
    const { exitCode, stderr, value } = await json('check', 'A3', '--topology', 'complete:2', '--compact', '--reduce', 'order');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(new RegExp(`not judged: '${entry}', .*'${fencing}'.* With --compact and --reduce order no runs are judged`));
    expect(verdictOf(value, entry)).toBe('incomplete');
  });
});

describe('conclave check', () => {
  it('--workers 2 finds the same', async () => {
    const argv = ['check', 'A3', '--topology', 'complete:2', '--entries', '2'];
    const [one, two] = [await json(...argv), await json(...argv, '--workers', '2')];
    expect(two).toMatchObject({ exitCode: 0, stderr: '' });
    const { states, transitions, depth } = one.value;
    expect(two.value).toMatchObject({ states, transitions, depth, workers: 2, complete: true });
    expect((await conclave([...argv, '--workers', '2'])).stdout).toMatch(/^time +\S+ m?s with 2 workers, [\d,]+ states\/s$/m);
  });

  it('--search depth finds the same states by longer ways, and says so', async () => {
    const [breadth, depth] = [await json(...ring), await json(...ring, '--search', 'depth')];
    expect(depth.exitCode).toBe(0);
    expect(depth.value.states).toBe(breadth.value.states);
    expect(depth.value.depth).toBeGreaterThan(breadth.value.depth);
    const { stdout } = await conclave(['check', fixture('broken-lock.ts'), '--search', 'depth']);
    expect(stdout).toContain('\n  Without --search depth each run to a single state is a shortest one.\n');
  });

  it('--time bounded and --partition are told', async () => {
    const { exitCode, stdout, stderr } = await conclave([
      'check',
      'B3',
      '--topology',
      'ring:3',
      '--time',
      'bounded',
      '--delay',
      '50',
      '--partition',
      '1',
      '--safety',
    ]);
    expect(exitCode).toBe(1); // who is cut off waits for ever
    expect(stderr).toBe('warning: LeLann–Chang–Roberts assumes channels that lose nothing; what crosses a split network is lost.\n');
    expect(stdout).toMatch(/^faults +up to 1 split of the network\ntimers +as messages that take up to 50 ms allow\n/m);
  });
});

describe('conclave check --walks', () => {
  const walks = ['check', 'A3', '--topology', 'complete:4', '--entries', '2', '--walks', '20', '--steps', '100'];

  it('prove nothing, which is exit code 2', async () => {
    const { exitCode, stdout, stderr } = await conclave(walks);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'incomplete: walks prove nothing; leave out --walks to look at every interleaving.\n',
    });
    expect(stdout).toMatch(/^walks +20 of up to 100 steps; seed 1\nmet +[\d,]+ states in [\d,]+ steps$/m);
    expect(stdout).toMatch(/^\? +at most one node is in the critical section +always +incomplete$/m);
    expect(stdout).toMatch(/^✓ +a node is in the critical section +sometimes +reached$/m);
    expect(stdout).toContain('\nINCOMPLETE: walks prove nothing. ');
    expect(stdout).toMatch(/\nAgain: conclave check A3 .* --walks 20 --steps 100 --seed 1\n$/);
  });

  it('are the same again with the same seed, and others with another', async () => {
    const first = await json(...walks, '--seed', '7');
    expect(await json(...first.value.again.split(' ').slice(1, -1))).toEqual(first);
    expect((await json(...walks, '--seed', '8')).value.states).not.toBe(first.value.states);
    expect(first.value).toMatchObject({ seed: 7, walks: 20, complete: false, incomplete: expect.stringContaining('walks prove nothing') });
  });

  it('find violations, whose traces are short', async () => {
    const { exitCode, stdout, stderr } = await conclave(['check', fixture('broken-lock.ts'), '--walks', '50', '--safety']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toContain('✗ at most one node is in the critical section, after 6 steps:\n');
    expect(stdout).toMatch(/\nWhat to try:\n {2}No assumption of Broken lock was dropped/);
    expect(stdout).toMatch(/^walks +50 of up to 1,000 steps; seed 1$/m);
  });

  it('that cannot even begin are told with the command to see it again', async () => {
    const argv = ['check', fixture('hot-potato.js'), '--export', 'misaddressed', '--walks', '2'];
    const { exitCode, stderr } = await conclave(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/ Again: conclave check \S+ --export misaddressed --walks 2 --seed 1\n$/);
  });
});
