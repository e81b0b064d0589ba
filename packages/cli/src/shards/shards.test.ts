/** `--shard` and `conclave merge`. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, temporary } from '../fixtures/conclave.js';
import { placesOf } from './part.js';

const lossy = [
  ...['simulate', 'A3', '--topology', 'complete:3', '--loss', '0.02', '--order', 'any'],
  ...['--seeds', '-3..20'],
];

const walking = [
  ...['check', 'A1', '--topology', 'star:4', '--loss', '1', '--walks', '6', '--max-depth', '20'],
  ...['--seeds', '2..4'],
];

const mutating = ['mutate', fixture('client-server.js')];

/** The results of these shards, each in a file. */
async function parts(
  argv: readonly string[],
  ...shards: readonly string[]
): Promise<readonly string[]> {
  const folder = dirname(temporary('none', ''));
  return Promise.all(
    shards.map(async (shard, place) => {
      const { exitCode, stdout, stderr } = await conclave([...argv, '--shard', shard, '--json']);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: expect.not.stringContaining('error'),
      });
      const path = join(folder, `${place}.json`);
      writeFileSync(path, stdout);
      return path;
    }),
  );
}

describe('conclave merge gives the bytes of one process', () => {
  it.each([
    ['of runs, for people', lossy, []],
    ['of runs', lossy, ['--json']],
    ['of walks, for people', walking, []],
    ['of walks', walking, ['--json']],
    ['of runs with --fail-fast', [...lossy, '--fail-fast'], ['--json']],
  ])('%s', async (_, argv, more) => {
    const files = await parts(argv, '3/3', '1/3', '2/3');
    const whole = await conclave([...argv, ...more]);
    expect(whole.exitCode).toBe(1);
    expect(await conclave(['merge', ...files, ...more])).toEqual(whole);
  });

  it.each(
    quickOf(
      [
        ['', mutating, ['--json']],
        [' with walks, for people', [...mutating, '--walks', '5'], []],
      ],
      ([name]) => name === '',
    ),
  )('of mutants%s', async (_, argv, more) => {
    const files = await parts(argv, '2/3', '1/3', '3/3');
    const whole = await conclave([...argv, ...more]);
    expect(whole.exitCode).toBe(1);
    expect(await conclave(['merge', ...files, ...more])).toEqual(whole);
  });
});

describe('conclave merge refuses', () => {
  const refusal = async (files: readonly string[], message: string) => {
    const { exitCode, stdout, stderr } = await conclave(['merge', ...files]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`error: `);
    expect(stderr.split('\n')).toHaveLength(2);
    expect(stderr).toContain(message);
  };
  const few = ['simulate', 'B3', '--topology', 'ring:2', '--seeds', '1..6'];

  it('missing, repeated and overlapping shards, and those of another command', async () => {
    const [one = '', two = '', half = ''] = await parts(few, '1/3', '2/3', '1/2');
    const [other = ''] = await parts([...few, '--order', 'any'], '3/3');
    await refusal([one, two], '1 shard of 3 is missing: 3.');
    await refusal([one, two, one], 'are the same shard, 1 of 3.');
    await refusal([one, half], "is one of 3 shards, and '");
    await refusal(
      [one, two, other],
      "of different sweeps: command line 'simulate B3 --topology ring:2 --seeds 1..6 --order any' instead of 'simulate B3 --topology ring:2 --seeds 1..6'.",
    );
  });

  it('what is no result, or one that was changed', async () => {
    const [whole = ''] = await parts(few, '1/1');
    await refusal([temporary('empty.json', '')], 'is empty: its shard has not ended.');
    await refusal([temporary('cut.json', '{"form')], 'is no result of a shard: ');
    await refusal([temporary('null.json', 'null')], 'is no result of a shard.');
    await refusal([`${whole}.none`], 'cannot be read: ');
    const { stdout } = await conclave([...few, '--shard', '1/1', '--json']);
    const changed = stdout.replace('"ring:2"', '"ring:3"');
    expect(changed).not.toBe(stdout);
    await refusal([temporary('changed.json', changed)], 'was changed after its shard');
  });

  it('a source that has changed since', async () => {
    const network = temporary('network.txt', 'a b 2\n');
    const argv = ['simulate', 'A3', '--topology', `file:${network}`, '--seeds', '1..2'];
    const files = await parts(argv, '1/1');
    const merged = await conclave(['merge', ...files]);
    expect(merged).toMatchObject({ exitCode: 0, stderr: '' });
    writeFileSync(network, 'a b 3\n');
    await refusal(files, "The shards were run elsewhere: source of the module or network '");
  });

  it('a module that imports something else', async () => {
    const folder = dirname(temporary('none', ''));
    const write = (value: number) =>
      writeFileSync(join(folder, 'number.mjs'), `export const number = ${value};`);
    write(1);
    const path = join(folder, 'mine.mjs');
    writeFileSync(
      path,
      `import './number.mjs';\nexport * from ${JSON.stringify(fixture('ping-pong.js'))};`,
    );
    const argv = ['simulate', path, '--export', 'deaf', '--topology', 'ring:3', '--seeds', '1..2'];
    const files = await parts(argv, '1/2', '2/2');
    expect(await conclave(['merge', ...files])).toMatchObject({ exitCode: 1, stderr: '' });
    write(2);
    await refusal(files, 'The shards were run elsewhere: source of the module or network');
  });
});

describe('--shard', () => {
  const argv = ['simulate', 'B3', '--topology', 'ring:2', '--seeds', '1..3'];

  it.each([
    ['0/2', [...argv, '--json'], "argument '0/2' is invalid. It is one of several, from 1, as in"],
    ['3/2', [...argv, '--json'], "argument '3/2' is invalid. It is one of several, from 1, as in"],
    ['1/4', [...argv, '--json'], '3 seeds cannot be divided into 4 shards. Give 3 shards at most.'],
    ['1/2', argv, 'The result of a shard is for conclave merge. Add --json'],
    ['1/2', ['simulate', 'B3'], '--shard is for several runs. Add --seeds'],
    [
      '1/2',
      ['check', 'B3', '--walks', '9'],
      '--shard is for the walks of several seeds. Add --walks',
    ],
    ['1/4', [...walking, '--json'], '3 seeds cannot be divided into 4 shards.'],
  ])('%s is refused', async (shard, given, message) => {
    const { exitCode, stdout, stderr } = await conclave([...given, '--shard', shard]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('has no result where it is interrupted', async () => {
    const given = [...argv, '--shard', '1/2', '--json'];
    expect(await conclave(given, { interrupted: () => true })).toEqual({
      exitCode: 130,
      stdout: '',
      stderr: 'incomplete: interrupted; shard 1/2 has no result.\n',
    });
  });

  it('gives each item to one shard', () => {
    for (const [count, of] of [
      [7, 3],
      [1_000_000, 999],
      [4, 4],
    ] as const) {
      const shards = Array.from({ length: of }, (_, place) =>
        placesOf({ index: place + 1, of }, count),
      );
      expect([shards[0]?.first, shards.at(-1)?.end]).toEqual([0, count]);
      for (const [place, { first, end }] of shards.entries()) {
        expect(end).toBeGreaterThan(first);
        expect(shards[place + 1]?.first ?? count).toBe(end);
      }
    }
  });
});
