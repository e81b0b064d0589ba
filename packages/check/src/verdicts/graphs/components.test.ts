/**
 * Compares the worlds on cycles with the definition: those that a path of at least one edge leads
 * back to.
 */
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { worldsOnCycles } from './components.js';
import { exploredGraph } from './explored-graph.contract.js';

const most = 8;

const random = fc.record({
  expanded: fc.integer({ min: 1, max: most }),
  // Many lead on to later worlds, as after a breadth-first search.
  edges: fc.array(
    fc
      .tuple(fc.nat(most - 1), fc.nat(most - 1), fc.nat(3))
      .map(([a, b, die]) =>
        die > 0 && a > b ? { source: b, target: a } : { source: a, target: b },
      ),
    { maxLength: 14 },
  ),
});

it('on random graphs, the worlds on cycles are found, each once and in order', () => {
  const met = { none: 0, some: 0, behind: 0 };
  assertRuns(
    fc.property(random, ({ edges: given, expanded }) => {
      const edges = given.filter(({ source }) => source < expanded);
      const { graph } = exploredGraph(most, expanded, edges);
      const reached = (from: number): readonly number[] => {
        const found = edges.flatMap(({ source, target }) => (source === from ? [target] : []));
        for (const world of found)
          for (const { source, target } of edges)
            if (source === world && !found.includes(target)) found.push(target);
        return found;
      };
      const expected = Array.from({ length: most }, (_, world) => world).filter((world) =>
        reached(world).includes(world),
      );
      expect([...worldsOnCycles(graph)]).toEqual(expected);
      met[expected.length === 0 ? 'none' : 'some']++;
      if (expected.length > 0 && expected.length < new Set(expected.flatMap(reached)).size)
        met.behind++;
    }),
    50,
    1000,
    5,
  );
  if (isWhole) expect(Math.min(...Object.values(met))).toBeGreaterThan(100);
});
