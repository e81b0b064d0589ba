/** A system that is too large ends with an error or an incomplete check, never with a crash. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { conclave, fixture } from './fixtures/conclave.js';

const bin = fileURLToPath(new URL('../bin/conclave.js', import.meta.url));

describe('limits', () => {
  it('a heap that is nearly full ends the search, not the program', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--max-old-space-size=64', bin, 'check', fixture('growing.js'), '--json', '--max-seconds', '50'],
      { encoding: 'utf8' },
    );
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ complete: false, limit: 'memory' });
    expect(stderr).toMatch(/^incomplete: .*the end of the heap/);
  });

  it('complete:500 is refused where it does not fit, with a size that fits', async () => {
    const { exitCode, stdout, stderr } = await conclave(['check', 'A3', '--topology', 'complete:500', '--max-memory', '1000']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: To search 'complete:500' takes [\d,]+ MB .* Of this shape, \d+ nodes would fit/);
  });

  it('a simulation that does not fit in the heap is refused, with a size that fits', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--max-old-space-size=300', bin, 'simulate', 'B3', '--topology', 'ring:200000'],
      {
        encoding: 'utf8',
      },
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: To simulate 'ring:200000' takes about 229 MB, and the heap has \d+ MB\. About \d+ nodes of this shape/);
  });

  it('more workers than cores are refused', async () => {
    const { exitCode, stderr } = await conclave(['check', 'A3', '--workers', '1000']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('workers is 1000, and this machine runs ');
  });
});
