import { describe, expect, it } from 'vitest';
import { conclave } from '../fixtures/conclave.js';

const system = ['check', 'A1', '--topology', 'star:4', '--loss', '1', '--walks', '6'];
const argv = [...system, '--max-depth', '20', '--seeds', '1..2'];

describe('conclave check --walks --seeds', () => {
  it('reports what any seed has shown, and the command that shows it again', async () => {
    const { exitCode, stdout, stderr } = await conclave(argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.any(String) });
    expect(stdout).toMatch(
      /^walks +12 of up to 20 steps; seeds 1 to 2, each by itself\nmet +at least \d+ states in \d+ steps$/m,
    );
    const [, again] = /^Again: npx conclave (.*)$/m.exec(stdout) ?? [];
    expect(again).toBe(`${[...system, '--max-depth', '20'].join(' ')} --seed 1`);
    const alone = await conclave([...(again ?? '').split(' '), '--json']);
    const value = JSON.parse((await conclave([...argv, '--json'])).stdout);
    const { properties } = JSON.parse(alone.stdout);
    expect(value).toMatchObject({ walks: 12, seeds: { from: 1, to: 2 }, complete: false });
    for (const { seed, ...finding } of value.properties)
      if (seed === 1) expect(properties).toContainEqual(finding);
    expect(value.properties.map(({ seed }: { seed?: number }) => seed)).toContain(1);
  });

  it('says after how many seeds it was interrupted', async () => {
    let asked = 0;
    const interrupted = () => ++asked > 8;
    const { exitCode, stderr } = await conclave(argv, { interrupted });
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/^incomplete: interrupted after [12] of 2 seeds; walks prove nothing;/m);
  });
});
