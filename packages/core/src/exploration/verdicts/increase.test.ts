/** Whether the numbers of nodes grow: the search against an oracle that goes along every run, and a system that tells it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { type Command, defineProtocol, increases, type Property } from '../../protocol/index.js';
import { complete, needs } from '../../topology/index.js';
import { replay } from '../../trace/index.js';
import { type ExploreOptions, explore } from '../explore.js';
import { Graph } from '../search/graph.js';
import type { Visited } from '../search/visited.js';
import { walk } from '../walk.js';
import { findDecrease } from './increase.js';

const most = 6;

const random = fc.integer({ min: 2, max: most }).chain((worlds) =>
  fc.record({
    numbers: fc.array(fc.tuple(...[0, 1].map(() => fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined, freq: 2 }))), {
      minLength: worlds,
      maxLength: worlds,
    }),
    edges: fc.array(fc.record({ source: fc.nat(worlds - 1), target: fc.nat(worlds - 1) }), { maxLength: 10 }),
  }),
);

/** The length of a shortest run on which a number does not grow, among all runs as long as there are worlds and largest numbers so far. */
function shortest(edges: readonly { source: number; target: number }[], numbers: readonly (readonly (number | undefined)[])[]) {
  const largestOf = (world: number) => Math.max(-Infinity, ...(numbers[world] ?? []).map((number) => number ?? -Infinity));
  let runs = [{ world: 0, largest: largestOf(0) }];
  for (let length = 1; length <= most * 5; length++) {
    const longer = new Map<string, (typeof runs)[number]>();
    for (const { world, largest } of runs)
      for (const { source, target } of edges) {
        if (source !== world) continue;
        const arisen = (numbers[target] ?? []).filter((number, node) => number !== undefined && number !== numbers[world]?.[node]);
        if (arisen.some((number) => (number ?? 0) <= largest)) return length;
        const next = { world: target, largest: Math.max(largest, ...arisen.map((number) => number ?? 0)) };
        longer.set(JSON.stringify(next), next);
      }
    runs = [...longer.values()];
  }
  return undefined;
}

it('on random graphs, a number that does not grow is found exactly where going along every run finds one, and by a way as short', () => {
  const met = { holds: 0, violated: 0 };
  fc.assert(
    fc.property(random, ({ edges: given, numbers }) => {
      const edges = given.toSorted((a, b) => a.source - b.source);
      const graph = new Graph();
      for (const world of numbers.keys()) {
        graph.begin(world);
        for (const [action, { source, target }] of edges.entries()) if (source === world) graph.edge(world, target, action);
      }
      const store: Visited = {
        size: numbers.length,
        bound: numbers.length,
        bytes: 0,
        has: () => true,
        read: (world, into) => {
          into[0] = world;
        },
        parent: () => -1,
        action: () => -1,
      };
      const found = findDecrease({ store, graph, width: 1 }, ([world = 0]) => numbers[world] ?? []);
      const expected = shortest(edges, numbers);
      met[expected === undefined ? 'holds' : 'violated']++;
      expect(found?.length).toBe(expected);
    }),
    { numRuns: 1000, seed: 11 },
  );
  expect(Math.min(...Object.values(met))).toBeGreaterThan(100);
});

describe('numbers of nodes', () => {
  interface Context {
    readonly rank: number;
    readonly turn: number;
  }
  const chart = setup({ types: {} as { input: { rank: number }; context: Context; events: Command } });
  const next = chart.assign({ turn: ({ context }) => context.turn + 1 });
  const machine = chart.extend({ actions: { next } }).createMachine({
    context: ({ input }) => ({ rank: input?.rank ?? 0, turn: 0 }),
    initial: 'out',
    states: { out: { on: { go: { target: 'in', actions: 'next' } } }, in: { tags: 'critical', on: { leave: 'out' } } },
  });
  /** Each node enters when it likes; the first is told rank 0, the second rank 1. */
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
      commands: { go: { kind: 'wish', meaning: 'in' }, leave: { kind: 'duty', meaning: 'out' } },
      properties: [property],
    });
  const inside = (numberOf: (context: Context) => number) =>
    increases('numbers grow', ({ tags, context }) => (tags.has('critical') ? numberOf(context as unknown as Context) : undefined));
  const found = (property: Property, wishes = 2) => {
    const system = protocol(property);
    const result = explore(system, complete(2), { wishes });
    const [finding] = result.properties;
    if (finding?.trace) expect(replay(system, complete(2), finding.trace)).toEqual({ steps: finding.trace.lines.length });
    return [finding?.verdict, finding?.trace?.lines.length];
  };

  it('of each node by itself may grow, and yet not those of all, one after the other', () => {
    expect(found(inside(({ turn }) => turn))).toEqual(['violated', 2]); // each has 1 at its first entry
    expect(found(inside(({ turn, rank }) => turn * 2 + rank))).toEqual(['violated', 2]); // b goes before a
  });

  it('that are not numbers do not grow', () => {
    expect(found(inside(() => Number.NaN))).toEqual(['violated', 1]);
  });

  it('are compared only when they come to be: one that stays is no second one', () => {
    const alone = inside(({ turn, rank }) => (rank === 0 ? turn : 100));
    expect(found(alone, 1)).toEqual(['violated', 2]); // b, then a with less
    const byTurns = increases('the turns of the first grow', ({ id, context }) => (id === 'a' ? Number(context.turn) : undefined));
    expect(found(byTurns)).toEqual(['holds', undefined]);
  });

  it('that do not grow are found in what was seen, even if not all was', () => {
    const same = protocol(inside(() => 1));
    const found = explore(same, complete(3), { wishes: 3, limits: { states: 40 } });
    expect(found.complete).toBe(false);
    const [{ verdict, trace } = {}] = found.properties;
    expect([verdict, trace?.lines.length]).toEqual(['violated', 2]);
  });

  it('stay open where steps are left out, worlds forgotten, or walks taken', () => {
    const grows = inside(({ turn, rank }) => turn + 10 * rank);
    const open = { verdict: 'incomplete' };
    for (const options of [{ reduce: 'order' }, { normalise: (world: object) => world }, { visited: 'compact' }, { limits: { states: 3 } }])
      expect(explore(protocol(grows), complete(2), options as ExploreOptions).properties[0]).toMatchObject(open);
    expect(walk(protocol(grows), complete(2), { seed: 1, walks: 2, steps: 20 }).properties[0]).toMatchObject(open);
  });
});
