import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, refuses } from '../fixtures/conclave.js';
import { fading, fitted, spread } from './estimate.js';

/** Systems whose size is known: most from docs/verified-systems.md. */
const known = [
  ['A3 --topology complete:3 --entries 2 --order any', 648_818],
  ['A3 --topology complete:3 --entries 3 --order fifo', 3_442_191],
  ['A3 --topology complete:3 --entries 3 --order any', 10_842_222],
  ['A3 --topology complete:4 --order fifo', 11_628_856],
  ['A3 --topology complete:4 --order any', 35_251_321],
  ['A3 --topology complete:3 --entries 2 --order any --loss 1', 2_195_094],
  ['A2 --topology complete:3', 529_584],
  ['A10 --topology ring:4 --entries 2 --order any', 1_000_268],
  ['A10 --topology ring:7 --order fifo', 755_388],
  ['A12 --topology complete:3 --entries 4 --order fifo', 703_916],
  ['A5 --topology chain:4 --order any', 653_428],
  ['A5 --topology chain:3 --entries 2 --order any', 1_329_099],
  ['A6 --topology chain:5 --order any', 1_159_390],
  ['A6 --topology chain:4 --entries 2 --order fifo', 1_435_666],
  ['A20 --topology complete:3 --entries 2 --order fifo', 15_623_933],
  // smaller ones, from smaller samples
  ['B3 --topology ring:8 --max-states 10000', 117_456],
  ['raymond --topology star:5 --entries 2 --max-states 20000', 195_804],
  ['raymond --topology chain:5 --entries 2 --max-states 5000', 181_509],
  ['B1 --topology complete:3 --crash 1 --max-states 5000', 45_728],
  ['A9 --topology chain:4 --entries 2 --max-states 2000', 14_252],
  ['A1 --topology star:4 --entries 3 --order any --max-states 1000', 5062],
] as const;

describe('conclave check --estimate', () => {
  proof.each(known)('of %s has its size, %i, in its range', async (argv, size) => {
    const { exitCode, value } = await json('check', ...argv.split(' '), '--estimate');
    expect(exitCode).toBe(0);
    expect(value.complete).toBe(false);
    expect(value.states.least).toBeLessThanOrEqual(size);
    expect(value.states.most).toBeGreaterThanOrEqual(size);
    // with crashes, the first layers and the longest run may say different things
    const widest = argv.includes('--crash') ? 1000 : 32;
    expect(value.states.most / value.states.least).toBeLessThan(widest);
  });

  it('says what a sample shows, and that nothing was checked', async () => {
    const argv = ['check', 'A3', '--topology', 'complete:3', '--max-states', '2000', '--estimate'];
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^sample +[\d,]+ states in \d+ layers; runs of about 18 steps$/m);
    const [, least = '', most = ''] = /^states +([\d,]+) to ([\d,]+)$/m.exec(stdout) ?? [];
    const { value } = await json('check', 'A3', '--topology', 'complete:3');
    expect(Number(least.replaceAll(',', ''))).toBeLessThan(value.states);
    expect(Number(most.replaceAll(',', ''))).toBeGreaterThan(value.states);
    expect(stdout).toMatch(/^memory +[\d.,]+ MB to [\d.,]+ MB$/m);
    expect(stdout).toMatch(/^time +[\d.,]+ s to [\d.,]+ s$/m);
    expect(stdout).toContain(
      '\nAn estimate, from how the first layers grow; nothing was checked.\n',
    );
  });

  it('counts a system that fits into the sample', async () => {
    const { value } = await json('check', 'B3', '--topology', 'ring:3', '--estimate');
    const searched = await json('check', 'B3', '--topology', 'ring:3');
    expect(value).toMatchObject({
      complete: true,
      states: { least: searched.value.states, most: searched.value.states },
    });
  });

  refuses('check --estimate', {
    'A11 --topology ring:3': 'A run of Token ring takes more than 2,000 steps here, or',
    'A3 --max-states 2': '2 states of Ricart–Agrawala are only 1 layer. Give a larger',
    [`${fixture('client-server.js')} --walks 2`]: '--walks has no effect on an estimate.',
  });

  it('says nothing when it is interrupted', async () => {
    const argv = ['check', 'A3', '--topology', 'complete:3', '--estimate'];
    expect(await conclave(argv, { interrupted: () => true })).toEqual({
      exitCode: 130,
      stdout: '',
      stderr: 'incomplete: interrupted; there is no estimate yet.\n',
    });
  });

  it('fits a bell exactly', () => {
    const widths = Array.from({ length: 41 }, (_, layer) => Math.exp((layer * (40 - layer)) / 40));
    const size = widths.reduce((sum, width) => sum + width, 0);
    expect(fitted(widths.slice(0, 12), 40) / size).toBeCloseTo(1, 5);
    expect(fitted(widths.slice(0, 12), 40) * spread[1]).toBeGreaterThan(size);
    expect(fading(widths.slice(0, 12), 40) / size).toBeCloseTo(1, 5);
    expect(fading([1, 2, 4, 8], 40)).toBe(Number.POSITIVE_INFINITY);
  });
});
