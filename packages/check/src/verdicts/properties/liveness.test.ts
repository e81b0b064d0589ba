/**
 * Compares the search for fair runs with an oracle that tries every set of edges that a run could
 * repeat forever.
 */

import { type Effect, eventually, everyStep, type Received, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enqueueActions, setup } from 'xstate';
import { minimalProtocol, type Self } from '../../../../core/src/protocol/examples.contract.js';
import { explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';
import { finding } from '../../fixtures/explored.contract.js';
import { Graph } from '../../search/traversal/graph.js';
import { type Fairness, type FairRun, FairRuns } from './liveness.js';

interface Edge {
  readonly source: number;
  readonly target: number;
  /** The class of its action; −1 for an unfair one. */
  readonly fair: number;
}

interface Question {
  readonly worlds: number;
  readonly edges: readonly Edge[];
  readonly inside: readonly boolean[];
  readonly from: readonly number[];
  readonly fairness: Fairness;
}

/** The edges by the number of their source, as the graph keeps them; an action is its class + 1. */
const sorted = (edges: readonly Edge[]) => edges.toSorted((a, b) => a.source - b.source);

function graphOf(worlds: number, edges: readonly Edge[]): Graph {
  const graph = new Graph();
  const queue = sorted(edges);
  for (let world = 0, next = 0; world < worlds; world++) {
    graph.begin(world);
    for (let edge = queue[next]; edge?.source === world; edge = queue[++next])
      graph.edge(world, edge.target, edge.fair + 1);
  }
  return graph;
}

const runsOf = ({ worlds, edges, fairness }: Question) =>
  new FairRuns({ graph: graphOf(worlds, edges), fairClass: (action) => action - 1, fairness });

const ask = (question: Question) =>
  runsOf(question).find((world) => question.inside[world] === true, question.from);

/** Whether a fair run stays inside forever from anywhere inside. */
const asksAnywhere = (question: Question) =>
  runsOf(question).canStay((world) => question.inside[world] === true);

const classes = [0, 1, 2];

/** Whether it is fair to repeat `loop` forever in the graph of `edges`. */
function isFair(fairness: Fairness, edges: readonly Edge[], loop: readonly Edge[]): boolean {
  const worlds = [...new Set(loop.map(({ source }) => source))];
  const possible = (world: number, one: number) =>
    edges.some(({ source, fair }) => source === world && fair === one);
  const taken = (one: number) => loop.some(({ fair }) => fair === one);
  if (fairness === 'none') return true;
  if (fairness === 'weak')
    return classes.every((one) => taken(one) || worlds.some((world) => !possible(world, one)));
  return classes.every((one) => taken(one) || worlds.every((world) => !possible(world, one)));
}

function mayRest({ edges }: Question, world: number): boolean {
  return edges.every(({ source, fair }) => source !== world || fair < 0);
}

/**
 * Every world in which an edge begins reaches, over these edges, every world in which one begins or
 * ends.
 */
function isStronglyConnected(edges: readonly Edge[]): boolean {
  const worlds = [...new Set(edges.flatMap(({ source, target }) => [source, target]))];
  return worlds.every((world) => {
    const met = closure([world], edges);
    return worlds.every((other) => met.has(other));
  });
}

function closure(from: readonly number[], edges: readonly Edge[]): Set<number> {
  const met = new Set(from);
  for (let size = -1; size !== met.size; ) {
    size = met.size;
    for (const { source, target } of edges) if (met.has(source)) met.add(target);
  }
  return met;
}

/** Directly by the definition. */
function oracle(question: Question): boolean {
  const { edges, inside, from, fairness } = question;
  const within = edges.filter(({ source, target }) => inside[source] && inside[target]);
  const reached = closure(
    from.filter((world) => inside[world]),
    within,
  );
  if ([...reached].some((world) => mayRest(question, world))) return true;
  const open = within.filter(({ source }) => reached.has(source));
  for (let set = 1; set < 2 ** open.length; set++) {
    const loop = open.filter((_, index) => (set >> index) & 1);
    if (isFair(fairness, edges, loop) && isStronglyConnected(loop)) return true;
  }
  return false;
}

/** What is wrong with a run, if anything. */
function flaw(
  question: Question,
  { start, approach, entry, edges: loop }: FairRun,
): string | undefined {
  const { edges, inside, from, fairness } = question;
  const all = sorted(edges);
  const follow = (at: number, edges: readonly number[]): number | undefined => {
    let world: number | undefined = at;
    for (const number of edges) {
      const edge: Edge | undefined = all[number];
      world =
        edge?.source === world && edge !== undefined && inside[edge.target]
          ? edge.target
          : undefined;
    }
    return world;
  };
  if (!from.includes(start) || !inside[start]) return `${start} is no start`;
  if (follow(start, approach) !== entry) return 'the approach does not lead to the entry';
  if (follow(entry, loop) !== entry) return 'the loop is not closed';
  if (loop.length === 0) return mayRest(question, entry) ? undefined : 'it may not rest there';
  const walked = loop.flatMap((number) => all[number] ?? []);
  return isFair(fairness, edges, walked) ? undefined : 'the loop is not fair';
}

const random: fc.Arbitrary<Question> = fc.integer({ min: 1, max: 6 }).chain((worlds) => {
  const world = fc.nat(worlds - 1);
  return fc.record({
    worlds: fc.constant(worlds),
    // A cycle through all worlds first, so that most of them are reached and visited again.
    edges: fc
      .tuple(
        fc.array(fc.integer({ min: -1, max: 2 }), { minLength: worlds, maxLength: worlds }),
        fc.array(
          fc.record({ source: world, target: world, fair: fc.integer({ min: -1, max: 2 }) }),
          { maxLength: 5 },
        ),
        fc.integer({ min: 0, max: worlds }),
      )
      .map(([cycle, more, length]) => [
        ...cycle
          .slice(0, length)
          .map((fair, source) => ({ source, target: (source + 1) % worlds, fair })),
        ...more,
      ]),
    inside: fc.array(
      fc.nat(7).map((die) => die > 0),
      { minLength: worlds, maxLength: worlds },
    ),
    from: fc
      .array(world, { minLength: 1, maxLength: 3 })
      .map((from) => from.toSorted((a, b) => a - b)),
    fairness: fc.constant('none' as const),
  });
});

describe.each(['none', 'weak', 'strong'] as const)('under fairness %s, a fair run', (fairness) => {
  it('is found exactly where the oracle finds one, and is a fair run', () => {
    let runs = 0;
    let loops = 0;
    let none = 0;
    assertRuns(
      fc.property(random, (asked) => {
        const question = { ...asked, fairness };
        const found = ask(question);
        expect(found !== undefined).toBe(oracle(question));
        expect(asksAnywhere(question)).toBe(
          oracle({ ...question, from: [...question.inside.keys()] }),
        );
        if (found) expect(flaw(question, found)).toBeUndefined();
        if (!found) none++;
        else if (found.edges.length > 0) loops++;
        runs++;
      }),
      100,
      1000,
      7,
    );
    if (!isWhole) return;
    expect(runs).toBeGreaterThanOrEqual(1000);
    expect(loops).toBeGreaterThan(200);
    expect(none).toBeGreaterThan(100);
  });
});

/**
 * `0>1 a` is an edge of class 0; b and c are the other classes, and an edge without a letter is
 * unfair.
 */
function question(fairness: Fairness, text: string, options: Partial<Question> = {}): Question {
  const edges = text.split(', ').map((edge): Edge => {
    const [, source, target, letter] = /^(\d)>(\d)(?: (\w))?$/.exec(edge) ?? [];
    return { source: Number(source), target: Number(target), fair: 'abc'.indexOf(letter ?? '-') };
  });
  const worlds = 1 + Math.max(...edges.flatMap(({ source, target }) => [source, target]));
  return {
    worlds,
    edges,
    inside: Array.from({ length: worlds }, () => true),
    from: [0],
    fairness,
    ...options,
  };
}

describe('known errors of a checker that looks only for the end of a path', () => {
  it('a cycle is a run without the response, though no path ends in it', () => {
    const cycle = question('strong', '0>1 a, 1>2 a, 2>0 a, 2>3 a', {
      inside: [true, true, true, false],
    });
    expect(ask({ ...cycle, fairness: 'none' })).toMatchObject({ entry: 0, edges: [0, 1, 2] });
    expect(ask(cycle)).toMatchObject({ start: 0, approach: [], entry: 0, edges: [0, 1, 2] });
  });

  it('a world reached by two paths counts for the path without the response, in either order', () => {
    for (const text of ['0>1 a, 0>2 a, 1>3 a, 2>3 a, 3>4 a', '0>2 a, 0>1 a, 2>3 a, 1>3 a, 3>4 a'])
      for (const satisfied of [1, 2]) {
        const diamond = question('weak', text, {
          inside: [0, 1, 2, 3, 4].map((world) => world !== satisfied),
        });
        const found = ask({ ...diamond, fairness: 'none' });
        expect(found).toMatchObject({ start: 0, entry: 4, edges: [] });
        expect(found?.approach).toHaveLength(3);
        expect(flaw({ ...diamond, fairness: 'none' }, found as FairRun)).toBeUndefined();
      }
  });
});

describe('a large graph', () => {
  const count = 600_000;
  const grid = (target: (world: number) => number): Graph => {
    const graph = new Graph();
    for (let world = 0; world < count; world++) {
      graph.begin(world);
      if (world + 1 < count) graph.edge(world, world + 1, 1);
      graph.edge(world, target(world), 2);
    }
    return graph;
  };
  const fairClass = (action: number) => action - 1;

  proof.each(['weak', 'strong'] as const)(
    'of one cycle through 600,000 worlds takes linear time: %s',
    (fairness) => {
      const before = process.cpuUsage();
      const found = new FairRuns({
        graph: grid((world) => (world + 1) % count),
        fairClass,
        fairness,
      }).find(() => true, [0]);
      expect(found?.edges.length).toBeGreaterThanOrEqual(count);
      expect(process.cpuUsage(before).user).toBeLessThan(5e6);
    },
  );

  proof('without a loop takes linear time', () => {
    const before = process.cpuUsage();
    const graph = grid((world) => Math.min(world + 2, count - 1));
    const found = new FairRuns({ graph, fairClass, fairness: 'strong' }).find(
      (world) => world < count - 2,
      [0],
    );
    expect(found).toBeUndefined();
    expect(process.cpuUsage(before).user).toBeLessThan(5e6);
  });
});

// A ball goes to and fro forever; node a is tired after 3 ms.

type Ball = { type: 'ball' };

const player = setup({
  types: {} as { input: Self; context: Self; events: Received<Ball>; emitted: Effect<Ball> },
  actions: {
    serve: enqueueActions(({ context, enqueue }) => {
      if (context.self === 'a') enqueue.emit(send('b', { type: 'ball' }));
    }),
    hit: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.peers[0] ?? '', { type: 'ball' })),
    ),
  },
}).createMachine({
  context: ({ input }) => input,
  entry: 'serve',
  on: { ball: { actions: 'hit' } },
  initial: 'fresh',
  states: { fresh: { after: { 3: 'tired' } }, tired: {} },
});

const tired = eventually('node a is tired', (system) => system.node('a').value === 'tired');
const never = eventually('node a is never there', (system) => system.node('a').value === 'away');
const still = everyStep('no node hits the ball', ({ cause }) => cause.kind !== 'message');
const rally = minimalProtocol(player, {
  messages: { ball: { meaning: 'the ball' } },
  properties: [tired, never, still],
});

const found = (options: ExploreOptions) => explore(rally, complete(2), options);
const within = (least: number, most: number) =>
  ({ time: { kind: 'exact', delay: [least, most] } }) as const;

describe('time diverges', () => {
  it.each(['none', 'weak', 'strong'] as const)(
    'in each run that counts: infinitely many hits at one moment are none (fairness %s)',
    (fairness) => {
      expect(finding(found({ ...within(0, 1), fairness }), tired.name).verdict).toBe('holds');
      expect(finding(found({ ...within(2, 2), fairness }), tired.name).verdict).toBe('holds');
    },
  );

  it('without exact time, unfair runs in which the timer never fires count', () => {
    expect(finding(found({ fairness: 'none' }), tired.name).verdict).toBe('violated');
    expect(finding(found({ fairness: 'weak' }), tired.name).verdict).toBe('holds');
  });

  it('in a loop that violates a property', () => {
    for (const fairness of ['none', 'weak', 'strong'] as const) {
      const {
        verdict,
        trace,
        loopsFrom = 0,
      } = finding(found({ ...within(0, 1), fairness }), never.name);
      expect(verdict).toBe('violated');
      expect(loopsFrom).toBeLessThan(trace?.lines.length ?? 0);
      expect(trace && replay(rally, complete(2), trace)).toEqual({ steps: trace?.lines.length });
    }
  });

  it('or the explorer says that it cannot', () => {
    expect(() => found(within(0, 0))).toThrow(
      /^Time stops: in \(a: fresh .* b: fresh .*something has to happen at this moment/,
    );
  });
});

it('a property of steps in exact time sees deliveries, however long the message could still have taken', () => {
  for (const time of [within(0, 1), within(1, 2)]) {
    const { verdict, trace } = finding(
      explore(rally, complete(2), { ...time, properties: [still] }),
      still.name,
    );
    expect(verdict).toBe('violated');
    expect(trace?.lines.map(({ event }) => event.kind)).toEqual(['start', 'start', 'deliver']);
  }
});
