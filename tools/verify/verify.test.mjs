import { describe, expect, it } from 'vitest';
import { recordedRows } from './record.mjs';
import { allSystems, nameOf } from './systems.mjs';

describe('docs/verified.md', async () => {
  const systems = await allSystems();
  const rows = recordedRows();

  it('has the systems of all algorithms, in the order of the catalogue (if not: npm run verify -- --record)', () => {
    expect([...rows.keys()]).toEqual(systems.map(nameOf));
    expect(systems.length).toBeGreaterThan(150);
  });

  it('has counts for each, and a verdict for each property', () => {
    for (const system of systems) {
      const { line, expected, seconds, peak } = rows.get(nameOf(system));
      const numbers = [...Object.values(expected), seconds, peak];
      expect(
        numbers.filter((number) => !Number.isFinite(number)),
        line,
      ).toEqual([]);
      const violated = Number(/(\d+) violated/.exec(line)?.[1] ?? 0);
      expect(violated, line).toBe(system.violated?.length ?? 0);
    }
  });
});
