import { describe, expect, it } from 'vitest';
import { conclave, json } from '../fixtures/conclave.js';

describe('conclave list', () => {
  it('--json is the catalogue', async () => {
    const { exitCode, stderr, value } = await json('list');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(value).toContainEqual({
      id: 'A4',
      name: 'ricart-agrawala-83',
      problem: 'mutual-exclusion',
      topology: 'complete',
      messages: 'n, or 0 with the token',
      marks: expect.any(Array),
    });
    expect(value.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(['A3', 'A7', 'B3']),
    );
  });

  it('prints a row for each algorithm, and the options of some', async () => {
    const { stdout } = await conclave(['list']);
    expect(stdout).toMatch(/^id +name +problem +topology +messages +marks$/m);
    expect(stdout).toMatch(/^B3 +lelann-chang-roberts +election +one-way ring +n·H_n/m);
    expect(stdout).toMatch(/^raymond greedy +number +how often/m);
  });
});
