/**
 * Whether the numbers of nodes grow: compares the search with an oracle that follows every run, and
 * with a system of known result.
 */

import type { Verdict } from '@conclave/core/protocol';
import { type Command, defineProtocol, increases, type Property } from '@conclave/core/protocol';
import { complete, needs } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';
import { walk } from '../../walk/walk.js';
import { exploredGraph } from '../graphs/explored-graph.contract.js';
import { findDecrease } from './increase.js';

const most = 6;

const random = fc.integer({ min: 2, max: most }).chain((worlds) =>
  fc.record({
    /** The other worlds were found, but not expanded: the search ended early. */
    expanded: fc.integer({ min: 1, max: worlds }),
    numbers: fc.array(
      fc.tuple(
        ...[0, 1].map(() => fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined, freq: 2 })),
      ),
      { minLength: worlds, maxLength: worlds },
    ),
    edges: fc.array(fc.record({ source: fc.nat(worlds - 1), target: fc.nat(worlds - 1) }), {
      maxLength: 10,
    }),
  }),
);

/**
 * The length of a shortest run on which a number does not grow, among all runs as long as there are
 * worlds and largest numbers so far.
 */
function shortest(
  edges: readonly { source: number; target: number }[],
  numbers: readonly (readonly (number | undefined)[])[],
) {
  const largestOf = (world: number) =>
    Math.max(-Infinity, ...(numbers[world] ?? []).map((number) => number ?? -Infinity));
  let runs = [{ world: 0, largest: largestOf(0) }];
  for (let length = 1; length <= most * 5; length++) {
    const longer = new Map<string, (typeof runs)[number]>();
    for (const { world, largest } of runs)
      for (const { source, target } of edges) {
        if (source !== world) continue;
        const arisen = (numbers[target] ?? []).filter(
          (number, node) => number !== undefined && number !== numbers[world]?.[node],
        );
        if (arisen.some((number) => (number ?? 0) <= largest)) return length;
        const next = {
          world: target,
          largest: Math.max(largest, ...arisen.map((number) => number ?? 0)),
        };
        longer.set(JSON.stringify(next), next);
      }
    runs = [...longer.values()];
  }
  return undefined;
}

it('on random graphs, a number that does not grow is found exactly where the oracle finds one, by a path as short', () => {
  const met = { holds: 0, violated: 0 };
  assertRuns(
    fc.property(random, ({ edges: given, numbers, expanded }) => {
      const edges = given
        .filter(({ source }) => source < expanded)
        .toSorted((a, b) => a.source - b.source);
      const explored = exploredGraph(numbers.length, expanded, edges);
      const found = findDecrease(explored, {
        nodes: 2,
        of: ([world = 0], node) => numbers[world]?.[node],
      });
      const expected = shortest(edges, numbers);
      met[expected === undefined ? 'holds' : 'violated']++;
      expect(found?.length).toBe(expected);
    }),
    50,
    1000,
    11,
  );
  if (isWhole) expect(Math.min(...Object.values(met))).toBeGreaterThan(100);
});

describe('numbers of nodes', () => {
  interface Context {
    readonly rank: number;
    readonly turn: number;
  }
  const chart = setup({
    types: {} as { input: { rank: number }; context: Context; events: Command },
  });
  const next = chart.assign({ turn: ({ context }) => context.turn + 1 });
  const machine = chart.extend({ actions: { next } }).createMachine({
    context: ({ input }) => ({ rank: input?.rank ?? 0, turn: 0 }),
    initial: 'out',
    states: {
      out: { on: { go: { target: 'in', actions: 'next' } } },
      in: { tags: 'critical', on: { leave: 'out' } },
    },
  });
  /** Each node enters at any time; the first gets rank 0, the second rank 1. */
  const protocol = (property: Property) =>
    defineProtocol<never, { readonly type: 'go' } | { readonly type: 'leave' }>({
      name: 'ranks',
      title: 'Ranks',
      problem: 'test',
      citation: 'none',
      topology: needs.complete,
      channels: { order: 'any', loss: false, duplication: false },
      roles: { node: { machine, input: (self, { nodes }) => ({ rank: nodes.indexOf(self) }) } },
      messages: {},
      commands: {
        go: { kind: 'optional', meaning: 'in' },
        leave: { kind: 'obligatory', meaning: 'out', when: ({ tags }) => tags.has('critical') },
      },
      properties: [property],
    });
  const inside = (numberOf: (context: Context) => number) =>
    increases('numbers grow', ({ tags, context }) =>
      tags.has('critical') ? numberOf(context as unknown as Context) : undefined,
    );
  const found = (property: Property, commands = 2) => {
    const system = protocol(property);
    const result = explore(system, complete(2), { commands });
    const [finding] = result.properties;
    if (finding?.trace)
      expect(replay(system, complete(2), finding.trace)).toEqual({
        steps: finding.trace.lines.length,
      });
    return [finding?.verdict, finding?.trace?.lines.length];
  };

  it('may grow at each node, but not from one node to the next', () => {
    // each has 1 at its first entry
    expect(found(inside(({ turn }) => turn))).toEqual(['violated', 2]);
    // b goes before a
    expect(found(inside(({ turn, rank }) => turn * 2 + rank))).toEqual(['violated', 2]);
  });

  it('that are not numbers do not grow', () => {
    expect(found(inside(() => Number.NaN))).toEqual(['violated', 1]);
  });

  it('need no order if they exist initially; but no number is larger than NaN', () => {
    const atFirst = (numbers: readonly number[]) =>
      increases('numbers grow', ({ id }) => numbers[id === 'a' ? 0 : 1]);
    expect(found(atFirst([5, 5]))).toEqual(['holds', undefined]);
    expect(found(atFirst([Number.NaN, 1]))).toEqual(['violated', 0]);
  });

  it('are compared only when they appear: one that stays does not count twice', () => {
    const alone = inside(({ turn, rank }) => (rank === 0 ? turn : 100));
    expect(found(alone, 1)).toEqual(['violated', 2]); // b, then a with less
    const byTurns = increases('the turns of the first grow', ({ id, context }) =>
      id === 'a' ? Number(context.turn) : undefined,
    );
    expect(found(byTurns)).toEqual(['holds', undefined]);
  });

  it('that do not grow are found also in an incomplete search', () => {
    const same = protocol(inside(() => 1));
    const found = explore(same, complete(3), { commands: 3, limits: { states: 40 } });
    expect(found.complete).toBe(false);
    const [{ verdict, trace } = {}] = found.properties;
    expect([verdict, trace?.lines.length]).toEqual(['violated', 2]);
  });

  it('have the same verdicts depth-first, for all crashes', () => {
    const byRank = inside(({ turn, rank }) => turn + 10 * rank);
    const ofOne = increases('turns grow', ({ id, tags, context }) =>
      id === 'a' && tags.has('critical') ? Number(context.turn) : undefined,
    );
    const crash = { crashes: 1, restarts: 1 };
    const cases: readonly (readonly [ExploreOptions, Property, Verdict, number?])[] = [
      [{ commands: 2 }, byRank, 'violated', 2],
      [{ commands: 2 }, ofOne, 'holds'],
      // A node starts again with 1, unless it is outside for the first time, or another node.
      [{ commands: 2, ...crash }, ofOne, 'violated', 4],
      [{ commands: 2, ...crash, mayCrash: ({ context }) => context.turn === 0 }, ofOne, 'holds'],
      [{ commands: 2, ...crash, mayCrash: ({ id }) => id === 'b' }, ofOne, 'holds'],
    ];
    for (const [budget, property, verdict, length] of cases) {
      const searched = (how: ExploreOptions) =>
        explore(protocol(property), complete(2), { ...budget, ...how });
      const usual = searched({});
      for (const how of [{}, { search: 'depth' as const }]) {
        const { states, transitions, complete: whole, properties } = searched(how);
        expect({ states, transitions, whole }).toEqual({
          states: usual.states,
          transitions: usual.transitions,
          whole: true,
        });
        expect([properties[0]?.verdict, properties[0]?.trace?.lines.length]).toEqual([
          verdict,
          length,
        ]);
      }
    }
  });

  it('stay open where the search ends early; depth-first, real runs alone decide', () => {
    const same = protocol(inside(() => 1));
    const short = (how: ExploreOptions) =>
      explore(same, complete(3), { commands: 3, limits: { states: 40 }, ...how }).properties[0];
    expect(short({ limits: { states: 3 } })).toMatchObject({ verdict: 'incomplete' });
    const { verdict, trace } = short({ search: 'depth' }) ?? {};
    expect(verdict).toBe('violated');
    expect(trace && replay(same, complete(3), trace)).toEqual({ steps: trace?.lines.length });
  });

  it('that do not increase are found by walks', () => {
    const grows = protocol(inside(({ turn, rank }) => turn + 10 * rank));
    const [found] = walk(grows, complete(2), { seed: 1, walks: 8, steps: 20 }).properties;
    expect(found?.verdict).toBe('violated');
    expect(found?.trace && replay(grows, complete(2), found.trace)).toEqual({
      steps: found?.trace?.lines.length,
    });
  });
});
