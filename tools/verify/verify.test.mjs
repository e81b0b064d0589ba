import { catalogue } from '@conclave/algorithms';
import { proof, sampled } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { nameOf, recordedRows, systemsOf } from './systems.mjs';

const rows = recordedRows();
const names = [...rows.keys()];
const wanted = [];

it.each(sampled([undefined, ...catalogue.map(({ id }) => id)], 4))(
  'docs/verified-systems.md has the systems of %s in a row, with their counts (if not: npm run verify -- --record)',
  async (id) => {
    const systems = await systemsOf(id);
    const first = names.indexOf(systems.map(nameOf)[0]);
    expect(
      names.slice(...(systems.length === 0 ? [0, 0] : [first, first + systems.length])),
    ).toEqual(systems.map(nameOf));
    wanted.push(...systems.map(nameOf));
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
  },
);

proof('docs/verified-systems.md has no other, in the order of the catalogue', () => {
  expect(names).toEqual(wanted);
  expect(names.length).toBeGreaterThan(150);
});
