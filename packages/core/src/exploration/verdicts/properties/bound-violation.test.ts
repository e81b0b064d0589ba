/**
 * Compares the search for a bound violation with an oracle that follows every run of a small graph.
 */
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exploredGraph } from '../graphs/explored-graph.contract.js';
import { findBoundViolation } from './bounds.js';

interface Edge {
  readonly source: number;
  readonly target: number;
  readonly sent: number;
  /** Its responses; only from one half of the worlds to the other. */
  readonly pays: number;
}

const random = fc.integer({ min: 2, max: 7 }).chain((worlds) => {
  const half = Math.ceil(worlds / 2);
  const world = fc.nat(worlds - 1);
  const edge = fc.record({
    source: world,
    target: world,
    sent: fc.nat(5).map((die) => Math.max(0, die - 3)),
    pays: fc.nat(4),
  });
  return fc.record({
    /** The other worlds were found, but not expanded: the search ended early. */
    expanded: fc.integer({ min: 1, max: worlds }),
    onTheWay: fc
      .array(fc.nat(3), { minLength: worlds, maxLength: worlds })
      .map(([, ...rest]) => [0, ...rest]),
    edges: fc.array(edge, { maxLength: 10 }).map((edges) =>
      edges.map(({ source, target, sent, pays }): Edge => {
        const isAcross = source < half && target >= half;
        const isBack = source >= half && target < half;
        return {
          source: isBack ? target : source,
          target: isBack ? source : target,
          sent,
          pays: isAcross || isBack ? pays : 0,
        };
      }),
    ),
  });
});

/** The length of a shortest run that costs too much; Infinity where a run sends forever. */
function shortest(edges: readonly Edge[], worlds: number): number | undefined {
  const reached = (from: number) => {
    const found = [from];
    for (const world of found)
      for (const { source, target } of edges)
        if (source === world && !found.includes(target)) found.push(target);
    return found;
  };
  const fromFirst = reached(0);
  if (
    edges.some(
      ({ source, target, sent }) =>
        sent > 0 && fromFirst.includes(source) && reached(target).includes(source),
    )
  )
    return Infinity;
  // No world repeats with another sum: a shortest run visits each world once.
  let runs = [{ world: 0, sum: 0 }];
  for (let length = 1; length <= worlds; length++) {
    runs = runs.flatMap(({ world, sum }) =>
      edges
        .filter(({ source }) => source === world)
        .map(({ target, sent, pays }) => ({ world: target, sum: sum + sent - pays })),
    );
    if (runs.some(({ sum }) => sum > 0)) return length;
  }
  return undefined;
}

it('on random graphs, a bound violation is found exactly where the oracle finds one, by a path as short', () => {
  const met = { endless: 0, excess: 0, none: 0 };
  assertRuns(
    fc.property(random, ({ edges: given, onTheWay, expanded }) => {
      const edges = given
        .filter(({ source }) => source < expanded)
        .toSorted((a, b) => a.source - b.source);
      const explored = exploredGraph(onTheWay.length, expanded, edges);
      const waiting = (world: number) => onTheWay[world] ?? 0;
      const found = findBoundViolation(explored, {
        inFlight: ([world = 0]) => waiting(world),
        change: (action) => {
          const { source, target, sent, pays } = edges[action] ?? {
            source: 0,
            target: 0,
            sent: 0,
            pays: 0,
          };
          return sent - pays + waiting(source) - waiting(target);
        },
        seesAll: true,
      });
      const expected = shortest(edges, onTheWay.length);
      met[expected === undefined ? 'none' : expected === Infinity ? 'endless' : 'excess']++;
      expect(found?.run !== undefined).toBe(expected === Infinity);
      if (found?.run)
        expect(found.run.edges.some((edge) => (edges[edge]?.sent ?? 0) > 0)).toBe(true);
      else expect(found?.onward?.length).toBe(expected);
    }),
    50,
    1000,
    7,
  );
  if (isWhole) expect(Math.min(...Object.values(met))).toBeGreaterThan(100);
});
