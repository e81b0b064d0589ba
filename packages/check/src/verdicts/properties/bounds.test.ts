/**
 * Compares the search for a bound violation with an oracle that follows every run of a small graph.
 */

import type { Protocol } from '@conclave/core/protocol';
import {
  always,
  atMost,
  type Chosen,
  choose,
  type Effect,
  type Received,
  send,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { complete, star } from '@conclave/core/topology';
import { linesText, replay, type Trace } from '@conclave/core/trace';
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, enqueueActions, setup } from 'xstate';
import {
  calls,
  centralLock,
  minimalProtocol,
  type Self,
} from '../../../../core/src/protocol/examples.contract.js';
import type { AtMost } from '../../../../core/src/protocol/property.js';
import { explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';
import { finding, tennis } from '../../fixtures/explored.contract.js';
import { systems } from '../../fixtures/systems.contract.js';
import { walk } from '../../walk/walk.js';
import type { Budget } from '../../worlds/budget.js';
import { stepOf, type World } from '../../worlds/world.js';
import { worldKey } from '../../worlds/world-key.js';
import { Worlds } from '../../worlds/worlds.js';
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

// Cost as a property: no world holds a counter, and the results are those of counting along every
// run.

const ask = (
  protocol: Protocol,
  topology: Topology,
  property: AtMost,
  options: ExploreOptions = {},
) => finding(explore(protocol, topology, { ...options, properties: [property] }), property.name);

/**
 * How many counted messages a trace sends from line `from` on, and how many `per` commands it
 * issues.
 */
function counted(
  { lines }: Trace,
  { per, of }: AtMost,
  from = 0,
): { readonly messages: number; readonly commands: number } {
  const typeOf = (call: string) => call.replace(/\(.*/s, '');
  const late = lines.slice(from);
  const sends = late.flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === 'send' ? [typeOf(effect.call)] : [])),
  );
  return {
    messages: sends.filter((type) => !of || of.includes(type)).length,
    commands: late.filter(({ event }) => event.kind === 'command' && typeOf(event.call) === per)
      .length,
  };
}

/**
 * The least number of actions until a run costs too much; undefined if no run does. Counts in the
 * worlds.
 */
function oracle(
  protocol: Protocol,
  topology: Topology,
  budget: Budget,
  { most, per, of }: AtMost,
): number | undefined {
  const worlds = new Worlds(protocol, topology, budget);
  const counts = ({ type }: { readonly type: string }) => !of || of.includes(type);
  const atFirst = Object.values(worlds.initial.channels).flat().filter(counts).length;
  if (atFirst > 0) return 0;
  const seen = new Set<string>();
  let layer: { readonly world: World; readonly sum: number }[] = [
    { world: worlds.initial, sum: 0 },
  ];
  for (let length = 1; layer.length > 0; length++) {
    const next: typeof layer = [];
    for (const { world, sum } of layer)
      for (const action of worlds.actions(world)) {
        const { world: after, effects } = worlds.perform(world, action);
        const sent = effects.filter(
          (effect) => effect.type === 'send' && counts(effect.message),
        ).length;
        const step = stepOf(action);
        const total =
          sum + sent - (step?.type === 'command' && step.command.type === per ? most : 0);
        if (total > 0) return length;
        const key = `${total} ${worldKey(after, worlds.order)}`;
        if (!seen.has(key)) next.push({ world: after, sum: total });
        seen.add(key);
      }
    layer = next;
  }
  return undefined;
}

describe('the cost of a lock', () => {
  it('is three messages per entry, one of each type', () => {
    for (const options of [
      { commands: 1 },
      { commands: 2 },
      { commands: 2, order: 'fifo' as const },
      { search: 'depth' as const },
    ]) {
      expect(ask(centralLock, star(3), atMost(3, { per: 'acquire' }), options).verdict).toBe(
        'holds',
      );
      for (const type of ['request', 'grant', 'free'])
        expect(
          ask(centralLock, star(3), atMost(1, { per: 'acquire', of: [type] }), options).verdict,
        ).toBe('holds');
      expect(
        ask(centralLock, star(3), atMost(2, { per: 'acquire', of: ['grant', 'free'] }), options)
          .verdict,
      ).toBe('holds');
    }
  });

  it('is not less: the trace is a shortest run that costs more, and it replays', () => {
    const { verdict, trace, loopsFrom } = ask(centralLock, star(3), atMost(2, { per: 'acquire' }), {
      commands: 2,
    });
    expect(verdict).toBe('violated');
    expect(loopsFrom).toBeUndefined();
    expect(trace && linesText(trace.lines)).toBe(
      [
        'b  acquire         idle → waiting      ⇒ a: request',
        'a  request from b  free → given        ⇒ b: grant',
        'b  grant from a    waiting → critical',
        'b  release         critical → idle     ⇒ a: free\n',
      ].join('\n'),
    );
    expect(trace && replay(centralLock, star(3), trace)).toEqual({ steps: 4 });
    expect(
      ask(centralLock, star(3), atMost(0, { per: 'acquire', of: ['free'] })).trace?.lines,
    ).toHaveLength(4);
    expect(ask(centralLock, star(3), atMost(0, { per: 'acquire' })).trace?.lines).toHaveLength(1);
  });

  it('adds nothing to the worlds', () => {
    const counts = ({ states, transitions }: ReturnType<typeof explore>) => [states, transitions];
    const costs = [atMost(3, { per: 'acquire' }), atMost(1, { per: 'acquire', of: ['grant'] })];
    expect(counts(explore(centralLock, star(3), { commands: 2, properties: costs }))).toEqual(
      counts(explore(centralLock, star(3), { commands: 2, properties: [] })),
    );
  });

  it('counts lost messages as well; a duplicate is not a send', () => {
    const rings = atMost(4, { per: 'call' });
    for (const budget of [{}, { losses: 2 }, { duplications: 1, initiators: ['a'] }])
      expect(
        ask(calls, complete(2), atMost(2, { per: 'call', of: ['ping'] }), budget).verdict,
      ).toBe('holds');
    expect(ask(calls, complete(2), rings, { losses: 1 }).verdict).toBe('holds');
    // A duplicated ping is answered, too.
    const answered = ask(calls, complete(2), rings, { duplications: 1, initiators: ['a'] });
    expect(answered.verdict).toBe('violated');
    expect(answered.trace && counted(answered.trace, rings)).toEqual({ messages: 5, commands: 1 });
  });
});

describe('counting in the worlds gives the same', () => {
  // Greetings are unhandled, so nothing beyond them is explored. Counting in the worlds of two
  // callers who call twice takes too long.
  const left = ['greetings', 'callers', 'callers that crash for good'];
  const tame = systems.filter(([name]) => !name.includes('splits') && !left.includes(name));

  proof.each(tame)('%s', (_name, protocol, topology, budget) => {
    const [per = ''] = Object.keys(protocol.commands);
    const types = [[], ...Object.keys(protocol.messages).map((type) => [type])];
    const properties = types.flatMap((of) =>
      [0, 1, 2, 3, 4].map((most) => atMost(most, of.length > 0 ? { per, of } : { per })),
    );
    const found = explore(protocol, topology, { ...budget, properties });
    expect(found.properties.filter(({ verdict }) => verdict === 'violated').length).toBeGreaterThan(
      0,
    );
    for (const property of properties) {
      const expected = oracle(protocol, topology, budget, property);
      const { verdict, trace, loopsFrom } = finding(found, property.name);
      expect(`${property.name}: ${verdict}`).toBe(
        `${property.name}: ${expected === undefined ? 'holds' : 'violated'}`,
      );
      if (!trace) continue;
      expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
      const { messages, commands } = counted(trace, property, loopsFrom);
      expect(messages).toBeGreaterThan(loopsFrom === undefined ? property.most * commands : 0);
      if (loopsFrom !== undefined) expect(commands).toBe(0);
      // Ticks are actions, but not lines; starts are lines of a trace, but not actions; nor are the
      // answers added to open choices at its end.
      else if (
        budget.time === undefined &&
        trace.lines.every(({ event }) => event.kind !== 'chosen')
      )
        expect(trace.lines.filter(({ event }) => event.kind !== 'start')).toHaveLength(
          expected ?? -1,
        );
    }
  });
});

const players = (machine: AnyStateMachine) =>
  minimalProtocol(machine, {
    messages: { ball: { meaning: 'yours' } },
    commands: { talk: { kind: 'optional', meaning: 'throw it' } },
  });

const player = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'talk' } | Chosen | Received<{ type: 'ball' }>;
    emitted: Effect<{ type: 'ball' }>;
  },
  delays: { moment: 1 },
  actions: {
    throw: enqueueActions(({ context, enqueue }) =>
      enqueue.emit(send(context.peers[0] ?? '', { type: 'ball' })),
    ),
    ponder: enqueueActions(({ enqueue }) => enqueue.emit(choose('silent', 'loud'))),
  },
  guards: { isLoud: ({ event }) => event.type === 'chosen' && event.value === 'loud' },
});

describe('infinitely many messages', () => {
  const chatter = players(
    player.createMachine({
      context: ({ input }) => input,
      on: { talk: { actions: 'throw' }, ball: { actions: 'throw' } },
    }),
  );

  it('cost too much for any bound', () => {
    for (const most of [0, 7]) {
      const { verdict, trace, loopsFrom } = ask(
        chatter,
        complete(2),
        atMost(most, { per: 'talk' }),
        { initiators: ['a'] },
      );
      expect(verdict).toBe('violated');
      expect(loopsFrom).toBe(1);
      expect(trace?.lines.map(({ event }) => event.kind)).toEqual([
        'command',
        'deliver',
        'deliver',
      ]);
      expect(trace && replay(chatter, complete(2), trace)).toEqual({ steps: 3 });
    }
  });

  it('from starts count from the initial world on', () => {
    const { verdict, loopsFrom } = ask(tennis, complete(2), atMost(9, { per: 'stop' }), {
      commands: 0,
    });
    expect([verdict, loopsFrom]).toEqual(['violated', 1]);
    const eager = players(
      player.createMachine({
        context: ({ input }) => input,
        entry: 'throw',
        on: { talk: {}, ball: {} },
      }),
    );
    const { trace } = ask(eager, complete(2), atMost(9, { per: 'talk' }));
    expect(trace?.lines.map(({ event }) => event.kind)).toEqual(['start', 'start']);
  });

  it('do not occur in a loop that sends none', () => {
    const fidget = players(
      player.createMachine({
        context: ({ input }) => input,
        initial: 'left',
        on: { talk: { actions: 'throw' }, ball: {} },
        states: { left: { after: { moment: 'right' } }, right: { after: { moment: 'left' } } },
      }),
    );
    expect(ask(fidget, complete(2), atMost(1, { per: 'talk' }), { commands: 2 }).verdict).toBe(
      'holds',
    );
    const { verdict, trace, loopsFrom } = ask(fidget, complete(2), atMost(0, { per: 'talk' }), {
      commands: 2,
    });
    expect(verdict).toBe('violated');
    expect(trace?.lines.map(({ event }) => event.kind)).toEqual(['start', 'start', 'command']);
    expect(loopsFrom).toBeUndefined();
  });
});

describe('of two paths to one world', () => {
  const moody = players(
    player.createMachine({
      context: ({ input }) => input,
      on: {
        talk: { actions: 'ponder' },
        chosen: [{ guard: 'isLoud', actions: ['throw', 'throw'] }, {}],
        ball: {},
      },
    }),
  );

  it('the more expensive one counts, in either order', () => {
    for (const search of ['breadth', 'depth'] as const) {
      expect(
        ask(moody, complete(2), atMost(2, { per: 'talk' }), { commands: 2, search }).verdict,
      ).toBe('holds');
      const { verdict, trace } = ask(moody, complete(2), atMost(1, { per: 'talk' }), {
        commands: 2,
        search,
      });
      expect(verdict).toBe('violated');
      expect(trace && counted(trace, atMost(1, { per: 'talk' }))).toEqual({
        messages: 2,
        commands: 1,
      });
    }
  });
});

describe('what the search cannot decide stays open', () => {
  const three = atMost(3, { per: 'acquire' });
  const verdictOf = (options: ExploreOptions, property = three) =>
    ask(centralLock, star(3), property, options).verdict;

  it('in a search that a limit ends', () => {
    expect(verdictOf({ limits: { states: 10 } })).toBe('incomplete');
  });

  it('where a split loses messages at once; the remaining messages can refute', () => {
    expect(verdictOf({ partitions: 1 })).toBe('incomplete');
    expect(verdictOf({ partitions: 1 }, atMost(2, { per: 'acquire' }))).toBe('violated');
  });

  it('on walks, which can refute', () => {
    const two = atMost(2, { per: 'acquire' });
    const [open, refuted] = walk(centralLock, star(3), {
      ...{ seed: 1, walks: 2, steps: 20 },
      properties: [three, two],
    }).properties;
    expect(open).toEqual({ name: three.name, kind: 'atMost', verdict: 'incomplete' });
    expect(refuted).toMatchObject({ name: two.name, verdict: 'violated' });
    const { messages, commands } = counted(refuted?.trace ?? expect.fail('no trace'), two);
    expect(messages).toBeGreaterThan(2 * commands);
  });
});

it('a property that counts an unknown message or command is refused', () => {
  expect(() => ask(centralLock, star(3), atMost(3, { per: 'release' }))).toThrow(
    "Property 'at most 3 messages per release': 'release' is no optional command of 'central-lock'. It has acquire.",
  );
});

it('can be checked together with other properties', () => {
  const both = [
    always('at most four messages are in flight', (system) => system.inFlight().length <= 4),
    atMost(3, { per: 'acquire' }),
  ];
  expect(
    explore(centralLock, star(3), { properties: both, all: false }).properties.map(
      ({ verdict }) => verdict,
    ),
  ).toEqual(['holds', 'holds', 'holds', 'holds', 'holds']);
});
