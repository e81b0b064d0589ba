/** `simulate --seeds`: many runs and one summary. Several threads run the built package. */
import { PassThrough } from 'node:stream';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import { conclave, fixture, json, refuses, temporary, words } from '../fixtures/conclave.js';
import { Share } from './threads.js';

const liveness = 'every node that wants to enter eventually enters';
const lossy = ['simulate', 'A3', '--topology', 'complete:3', '--loss', '0.01', '--seeds', '1..60'];

describe('conclave simulate --seeds', () => {
  it('--json sums up the runs, and repeats each violation', async () => {
    const { exitCode, value } = await json(...lossy);
    expect(exitCode).toBe(1);
    const seeds: readonly number[] = value.violations.map(({ seed }: { seed: number }) => seed);
    expect(seeds.length).toBeGreaterThan(1);
    expect(value).toMatchObject({
      ...{
        protocol: 'ricart-agrawala',
        topology: 'complete:3',
        nodes: 3,
        seeds: { from: 1, to: 60 },
        runs: 60,
      },
      ...{ ended: { quiescent: 60 }, complete: true },
      messages: { max: 12, mean: expect.any(Number) },
    });
    const { mean, interval } = value.messages;
    expect(interval[0]).toBeLessThan(mean);
    expect(mean).toBeLessThan(interval[1]);
    expect(value.properties).toContainEqual({
      ...{ name: liveness, kind: 'leadsTo' },
      verdicts: { violated: seeds.length, holds: 60 - seeds.length },
    });
    for (const { seed, violated, again } of value.violations) {
      expect({ violated, again }).toEqual({
        violated: liveness,
        again: `npx conclave simulate A3 --topology complete:3 --loss 0.01 --seed ${seed}`,
      });
      const one = await json(...again.split(' ').slice(2));
      expect({ exitCode: one.exitCode, violated: one.value.violated }).toEqual({
        exitCode: 1,
        violated: liveness,
      });
    }
  });

  proof('finds the same with any number of workers, also with --fail-fast', async () => {
    const [one, two] = [
      await conclave([...lossy, '--json']),
      await conclave([...lossy, '--json', '--workers', '2']),
    ];
    expect(two).toEqual(one);
    const first = JSON.parse(one.stdout).violations[0].seed;
    const fast = [...lossy, '--fail-fast', '--json'];
    const alone = await conclave(fast);
    expect(JSON.parse(alone.stdout)).toMatchObject({
      runs: first,
      violations: [{ seed: first }],
      complete: true,
    });
    expect(await conclave([...fast, '--workers', '2'])).toEqual(alone);
  });

  it('prints a summary for people', async () => {
    const { exitCode, stdout } = await conclave([...lossy, '--fail-fast']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^workload +1 entry by every node; seeds 1 to 60$/m);
    expect(stdout).toMatch(/^\d+ runs +min +5 % +median +95 % +max +mean$/m);
    expect(stdout).toMatch(/^messages( +\d+){4} +12 +[\d.]+ ± [\d.]+$/m);
    expect(stdout).toMatch(/^wait, ms \(\d+ entries\)( +[\d.]+){6} ± [\d.]+$/m);
    expect(stdout).toMatch(
      /^✗ +every node that wants to enter eventually enters +leadsTo +violated 1, holds \d+$/m,
    );
    expect(stdout).toMatch(
      /^\d+ runs: quiescent \d+\. Left out by --fail-fast: seeds \d+ to 60\.$/m,
    );
    expect(stdout).toMatch(
      /\n✗ every node .*, violated with 1 seed:\nnpx conclave simulate A3 --topology complete:3 --loss 0\.01 --seed \d+\n$/,
    );
    const fine = await conclave(['simulate', 'B3', '--seeds', '-1..2']);
    expect(fine).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/\n\n4 runs: quiescent 4\.\n$/),
    });
  });

  it('says how a machine broke the node contract', async () => {
    const argv = words`simulate ${fixture('ping-pong.js')} --export deaf --topology ring:3
      --seeds 1..2`;
    const { exitCode, value } = await json(...argv);
    expect(exitCode).toBe(1);
    expect(value).toMatchObject({ complete: false, ended: { violation: 2 } });
    expect(value.violations[1]).toMatchObject({
      seed: 2,
      fault: expect.stringMatching(/does not handle 'ball'.* seed 2\)/),
    });
    expect(value.properties).toContainEqual({
      ...{ name: 'every message is handled or explicitly ignored', kind: 'always' },
      verdicts: { violated: 2 },
    });
  });

  proof('is incomplete where time stands still, or where it is interrupted', async () => {
    const still = await conclave(
      words`simulate A11 --topology ring:2 --delay fixed:0 --seeds 1..1`,
    );
    expect(still.exitCode).toBe(2);
    expect(still.stderr).toMatch(/^incomplete: time stands still in 1 run: /);
    let asked = 0;
    const interrupted = await conclave([...lossy, '--json'], { interrupted: () => ++asked > 5 });
    expect(interrupted).toMatchObject({
      exitCode: 130,
      stderr: expect.stringContaining('incomplete: interrupted after 5 of 60 seeds.\n'),
    });
    expect(JSON.parse(interrupted.stdout)).toMatchObject({
      runs: 5,
      complete: false,
      incomplete: 'interrupted after 5 of 60 seeds.',
    });
  });

  it('shows a progress bar on a terminal', async () => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1500));
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    await conclave(['simulate', 'B3', '--topology', 'ring:3', '--seeds', '1..4'], { terminal });
    vi.restoreAllMocks();
    expect(String(terminal.read())).toContain(
      '==========---------- simulating: 2 of 4 seeds, 0 violations',
    );
  });
});

describe('a thread that dies is one error', () => {
  /** A protocol whose property, in a thread of its own, does this. */
  const module = (act: string) =>
    temporary(
      'mine.mjs',
      `import { lelannChangRoberts } from '${import.meta.resolve('../../../algorithms/dist/election/lelann-chang-roberts/protocol.js')}';
import { workerData } from 'node:worker_threads';
const holds = () => { if (workerData?.firstSeed === 7) { ${act} } return true; };
export const mine = { ...lelannChangRoberts, properties: [{ kind: 'always', name: 'all is well', holds }] };`,
    );

  proof.each([
    [
      'ends',
      'process.exit(0);',
      /^error: A thread ended while it simulated seed [78]\. Does a module call process\.exit\? Again: npx conclave .* --seed [78]\n$/,
    ],
    [
      'throws',
      "throw new Error('no idea');",
      /^error: Property 'all is well' fails: no idea .*\n$/,
    ],
  ])('that %s', async (_, act, error) => {
    const argv = words`simulate ${module(act)} --export mine --topology ring:2 --seeds 7..8
      --workers 2 --json`;
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(error);
  });
});

refuses('simulate', {
  'A3 --seeds 5..1':
    "option '--seeds <from..to>' argument '5..1' is invalid. 5 is larger than 1: write 1..5.",
  'A3 --seeds 0.5': "argument '0.5' is invalid. It is two whole numbers, as in 1..1000.",
  'A3 --seeds a..b': "argument 'a..b' is invalid. It is two whole numbers, as in 1..1000.",
  'A3 --seeds 1..2000000':
    "argument '1..2000000' is invalid. It has 2,000,000 seeds; 1,000,000 is the most.",
  'A3 --seeds 1..9 --seed 3':
    '--seed is for one run, and --seeds for several. Leave one of them out.',
  'A3 --seeds 4..9 --trace x':
    '--trace writes one run, and --seeds makes several. Take one of them, as in --seed 4 --trace x.',
  'A3 --seeds 1..9 --workers 999': '--workers is 999, and this machine runs ',
  'A3 --workers 2': '--workers is for several runs. Add --seeds 1..1000, or leave it out.',
  'A3 --fail-fast': '--fail-fast is for several runs. Add --seeds 1..1000, or leave it out.',
  'A3 --seeds 1..9 --crash z@5': "Fault 1 (crash): 'z' is no node of 'complete:5'.",
});

it('what the threads share gives each place to one thread, and none after the end', () => {
  const share = Share.fresh(5, 2);
  const other = new Share(share.memory);
  expect([share.take(0), other.take(1), share.take(0)]).toEqual([0, 1, 2]);
  expect([share.now(0), share.now(1)]).toEqual([2, 1]);
  other.end(3);
  share.end(4);
  expect([0, 3, 4].map((place) => share.wants(place))).toEqual([true, true, false]);
  expect([other.take(1), share.take(0), other.take(1)]).toEqual([3, undefined, undefined]);
  share.end(-1);
  expect(other.wants(0)).toBe(false);
});
