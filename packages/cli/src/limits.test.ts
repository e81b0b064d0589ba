/** A system that is too large ends with an error or an incomplete check, never with a crash. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, temporary, words } from './fixtures/conclave.js';

const bin = fileURLToPath(new URL('../bin/conclave.js', import.meta.url));

describe('limits', () => {
  proof('a heap that is nearly full ends the search, not the program', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      words`--max-old-space-size=64 ${bin} check ${fixture('growing.js')} --json
        --max-seconds 50`,
      { encoding: 'utf8' },
    );
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ complete: false, limit: 'memory' });
    expect(stderr).toMatch(/^incomplete: .*the end of the heap/);
  });

  proof('a thread of many simulations that runs out of memory is one error', () => {
    // In small steps: a single large allocation beyond the heap aborts the whole process, which
    // Node cannot prevent.
    const text = `import { lelannChangRoberts } from '${import.meta.resolve('../../algorithms/dist/election/lelann-chang-roberts/protocol.js')}';
let kept;
const holds = () => { for (let i = 0; i < 2e6; i++) kept = { i, kept }; return true; };
export const greedy = { ...lelannChangRoberts, properties: [{ kind: 'always', name: 'it fits', holds }] };`;
    const argv = words`${bin} simulate ${temporary('greedy.mjs', text)} --topology ring:2 --seeds
      1..9 --workers 2`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--max-old-space-size=64', ...argv],
      { encoding: 'utf8' },
    );
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: A thread ran out of memory while it simulated seed \d\. Give fewer --workers than 2, or simulate fewer nodes\. Again: npx conclave simulate .*\n$/m,
    );
  });

  it('complete:500 is refused where it does not fit, with a size that fits', async () => {
    const { exitCode, stdout, stderr } = await conclave(
      words`check A3 --topology complete:500 --max-memory 1000`,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: To search 'complete:500' takes [\d,]+ MB .* Of this shape, \d+ nodes would fit/,
    );
  });

  proof('a simulation that does not fit in the heap is refused, with a size that fits', () => {
    const argv = ['--max-old-space-size=150', bin, 'simulate', 'B3', '--topology', 'ring:150000'];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: To simulate 'ring:150000' takes about \d+ MB, and the heap has [\d,]+ MB\. About \d+ nodes of this shape/,
    );
  });
});
