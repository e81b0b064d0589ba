/** The explorer against the slow and simple definition of truth: a search over {@link Worlds} that keeps a text per world. */
import { describe, expect, it } from 'vitest';
import { assertEvent, emit, enqueueActions, setup } from 'xstate';
import { calls, cards, centralLock, type Self, tiny } from '../protocol/examples.contract.js';
import { type Effect, type Received, send } from '../protocol/node.js';
import { always, eventually, leadsTo, never, type Property, type SystemView, sometimes } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete, star } from '../topology/generators.js';
import type { Topology } from '../topology/topology.js';
import { replay } from '../trace/replay.js';
import { linesText, traceText } from '../trace/text.js';
import type { TraceEvent } from '../trace/trace.js';
import { type Exploration, type ExploreOptions, explore, standardProperties } from './explore.js';
import { viewOf } from './view.js';
import { type World, Worlds, worldKey } from './world.js';

// A ball that `a` throws at its start and that comes back for ever; who is asked may put it down, and only then.

type Ball = { type: 'ball' };

const thrower = setup({
  types: {} as { input: Self; context: Self; events: { type: 'stop' } | Received<Ball>; emitted: Effect<Ball> },
  actions: {
    serve: enqueueActions(({ context, enqueue }) => {
      if (context.self === 'a') enqueue.emit(send(context.peers[0] ?? '', { type: 'ball' }));
    }),
    back: emit(({ event }) => {
      assertEvent(event, 'ball');
      return send(event.from, { type: 'ball' });
    }),
  },
}).createMachine({
  context: ({ input }) => input,
  initial: 'playing',
  entry: 'serve',
  states: {
    playing: { tags: 'waiting', on: { ball: { actions: 'back' }, stop: 'tired' } },
    tired: { on: { ball: 'done' } },
    done: { on: { ball: {} } },
  },
});

const tennis = tiny(thrower, {
  name: 'tennis',
  channels: { order: 'fifo', loss: false, duplication: false },
  messages: { ball: { meaning: 'yours' } },
  commands: { stop: { kind: 'wish', meaning: 'put it down when it comes' } },
});

// A greeting that nobody takes who has not greeted.

const greeter = setup({
  types: {} as { input: Self; context: Self; events: { type: 'greet' } | Received<{ type: 'hello' }>; emitted: Effect<{ type: 'hello' }> },
  actions: {
    hello: enqueueActions(({ context, enqueue }) => {
      for (const peer of context.peers) enqueue.emit(send(peer, { type: 'hello' }));
    }),
  },
}).createMachine({
  context: ({ input }) => input,
  initial: 'asleep',
  states: { asleep: { tags: 'waiting', on: { greet: { target: 'awake', actions: 'hello' } } }, awake: { on: { hello: {} } } },
});

const greetings = tiny(greeter, {
  name: 'greetings',
  messages: { hello: { meaning: 'hello' } },
  commands: { greet: { kind: 'wish', meaning: 'say hello' } },
});

const values = (system: SystemView) => system.nodes.map(({ value }) => JSON.stringify(value)).join();
const probes: readonly Property[] = [
  always('at most one waits', (system) => system.count('waiting') <= 1),
  always('little is on its way', (system) => system.inFlight().length <= 2),
  never(
    'somebody has crashed while something is on its way',
    (system) => system.live < system.nodes.length && system.inFlight().length > 1,
  ),
  sometimes('all are in one state', (system) => new Set(system.nodes.map(({ value }) => JSON.stringify(value))).size === 1),
  sometimes('nothing is on its way', (system) => system.inFlight().length === 0),
  sometimes('a thing that never is', (system) => values(system) === ''),
];

const systems: readonly (readonly [string, Protocol, Topology, ExploreOptions])[] = [
  ['a lock', centralLock, star(3), { wishes: 2 }],
  ['a lock with three clients', centralLock, star(4), {}],
  ['a lock on fifo channels that lose', centralLock, star(3), { losses: 1, order: 'fifo' }],
  ['callers', calls, complete(2), { wishes: 2 }],
  ['callers over channels that lose and double', calls, complete(2), { losses: 1, duplications: 1, initiators: ['a'] }],
  ['callers that overtake', calls, complete(2), { duplications: 2, initiators: ['a'], order: 'any' }],
  ['callers that may not overtake', calls, complete(2), { duplications: 2, initiators: ['a'], order: 'fifo' }],
  ['callers that crash and come back', calls, complete(2), { crashes: 2, restarts: 1, initiators: ['a'] }],
  ['callers that crash for good', calls, complete(3), { crashes: 1, initiators: ['a'], order: 'fifo' }],
  ['card players at their start', cards, complete(3), { wishes: 0 }],
  ['card players', cards, complete(2), { initiators: ['a'], order: 'fifo' }],
  ['card players that crash and come back', cards, complete(2), { wishes: 0, crashes: 1, restarts: 1, losses: 1 }],
  ['a ball', tennis, complete(2), { order: 'any' }],
  ['a ball of three', tennis, complete(3), { duplications: 1 }],
  ['greetings', greetings, complete(3), {}],
];

interface Truth {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** By property: how far the nearest world is that decides it. */
  readonly nearest: ReadonlyMap<string, number>;
}

/** Breadth-first, by definition. */
function truthOf(protocol: Protocol, topology: Topology, options: ExploreOptions): Truth {
  const worlds = new Worlds(protocol, topology, options);
  const open: { readonly world: World; readonly depth: number }[] = [];
  const known = new Set<string>();
  const nearest = new Map<string, number>();
  const decide = (name: string, depth: number) => nearest.has(name) || nearest.set(name, depth);
  let transitions = 0;
  const meet = (world: World, depth: number) => {
    const key = worldKey(world, worlds.order);
    if (known.has(key)) return;
    known.add(key);
    open.push({ world, depth });
  };
  meet(worlds.initial, 0);
  for (const { world, depth } of open) {
    const view = viewOf(protocol, topology, world);
    for (const property of probes)
      if ('holds' in property && property.kind !== 'leadsTo' && property.holds(view) === (property.kind !== 'always'))
        decide(property.name, depth);
    const actions = worlds.actions(world);
    for (const action of actions) {
      let next: World;
      try {
        next = worlds.next(world, action);
      } catch {
        decide(standardProperties[0] ?? '', depth);
        continue;
      }
      transitions++;
      meet(next, depth + 1);
    }
    if (actions.length === 0 && view.count('waiting') > 0) decide(standardProperties[1] ?? '', depth);
  }
  return { states: known.size, transitions, depth: open.at(-1)?.depth ?? 0, nearest };
}

const finding = (found: Exploration, name: string) => {
  const property = found.properties.find((one) => one.name === name);
  if (!property) throw new Error(`no property '${name}'`);
  return property;
};
const verdicts = (found: Exploration) => found.properties.map(({ verdict }) => verdict);
const kinds = (found: Exploration, name: string): TraceEvent['kind'][] =>
  finding(found, name).trace?.lines.map(({ event }) => event.kind) ?? [];

describe.each(systems)('%s', (_name, protocol, topology, options) => {
  const truth = truthOf(protocol, topology, options);
  const found = explore(protocol, topology, { ...options, properties: probes });

  it('has exactly the worlds and steps of the definition', () => {
    const { states, transitions, depth, complete } = found;
    expect({ states, transitions, depth, complete }).toEqual({
      states: truth.states,
      transitions: truth.transitions,
      depth: truth.depth,
      complete: true,
    });
    expect(states).toBeGreaterThan(8);
  });

  it('gives each property the verdict of the definition, by a shortest run', () => {
    for (const { name, kind, verdict, trace } of found.properties) {
      const distance = truth.nearest.get(name);
      const [yes, no] = kind === 'sometimes' ? ['reached', 'unreached'] : ['violated', 'holds'];
      // Beyond a message that nobody takes nothing was looked at.
      const open = name !== handled && truth.nearest.has(handled);
      expect([name, verdict]).toEqual([name, distance === undefined ? (open ? 'incomplete' : no) : yes]);
      // A start is no step; answers that lead to a world where actors stop come on top.
      const steps = trace?.lines.filter(({ event }) => event.kind !== 'start').length ?? 0;
      if (distance === undefined) expect(trace).toBeUndefined();
      else if (protocol === cards) expect(steps).toBeGreaterThanOrEqual(distance);
      else expect([name, steps]).toEqual([name, distance]);
    }
  });

  it('replays every trace on fresh actors', () => {
    const traces = found.properties.flatMap(({ trace }) => trace ?? []);
    expect(traces.length).toBeGreaterThan(0);
    for (const trace of traces) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  });
});

const [handled = ''] = standardProperties;

describe('a trace of the explorer', () => {
  const witness = (protocol: Protocol, options: ExploreOptions, holds: (system: SystemView) => boolean) =>
    explore(protocol, complete(2), { ...options, properties: [sometimes('it', holds)] });
  const some = (field: string, value: unknown) => (system: SystemView) => system.nodes.some(({ context }) => context[field] === value);

  it('holds losses, time-outs, doublings, crashes and restarts, and replays', () => {
    const gaveUp = witness(calls, { losses: 2, wishes: 1 }, (system) => system.inFlight().length === 0 && some('tries', 2)(system));
    expect(kinds(gaveUp, 'it')).toEqual(['command', 'drop', 'timeout', 'drop']);
    const doubled = witness(calls, { duplications: 1 }, (system) => system.inFlight('pong').length === 2 && some('tries', 1)(system));
    expect(kinds(doubled, 'it')).toEqual(['command', 'deliver', 'duplicate']);
    const stable = witness(
      calls,
      { crashes: 1, restarts: 1, initiators: ['a'] },
      (system) => some('calls', 1)(system) && !system.nodes.some(({ context }) => context.tries !== 0),
    );
    expect(kinds(stable, 'it')).toEqual(['command', 'crash', 'restart']);
    for (const found of [gaveUp, doubled, stable]) {
      const { trace } = finding(found, 'it');
      expect(trace && replay(calls, complete(2), trace)).toEqual({ steps: trace?.lines.length });
    }
  });

  it('tells what nodes do at their start, and answers what is still asked', () => {
    const found = witness(cards, { initiators: ['a'] }, ({ nodes }) => JSON.stringify(nodes[0]?.context.drawn) === '[1,"high","ace"]');
    const { trace } = finding(found, 'it');
    expect(trace && linesText(trace.lines)).toBe(
      [
        'a  start          ⇒ choose 1 | 2',
        'a  chosen 1       ⇒ b: drew(1)',
        'b  start          ⇒ choose 1 | 2',
        'b  chosen 1       ⇒ a: drew(1)',
        'a  play           ⇒ choose high | low, choose left | right',
        'a  chosen high    ⇒ b: drew(high), choose king | ace',
        'a  chosen ace     ⇒ b: drew(ace)',
        'a  chosen left    ⇒ b: drew(left)\n',
      ].join('\n'),
    );
    expect(trace && replay(cards, complete(2), trace)).toEqual({ steps: 8 });
  });
});

describe('liveness', () => {
  const over = eventually('somebody puts the ball down', (system) => values(system).includes('done'));

  it('finds the loop, and where it begins', () => {
    const found = explore(tennis, complete(2), { wishes: 0, properties: [over] });
    const { verdict, trace, loopsFrom } = finding(found, over.name);
    expect(verdict).toBe('violated');
    expect(trace && linesText(trace.lines)).toBe(
      ['a  start        playing  ⇒ b: ball', 'b  ball from a  playing  ⇒ a: ball', 'a  ball from b  playing  ⇒ b: ball\n'].join('\n'),
    );
    expect(loopsFrom).toBe(1);
    expect(trace && replay(tennis, complete(2), trace)).toEqual({ steps: 3 });
  });

  it('a run in which nobody ever wishes is fair only where wishes may be put off for ever', () => {
    const verdictOf = (fairness: 'none' | 'weak' | 'strong', property: Property) =>
      finding(explore(tennis, complete(2), { fairness, properties: [property] }), property.name).verdict;
    expect(verdictOf('none', over)).toBe('violated');
    expect(verdictOf('weak', over)).toBe('holds');
    expect(verdictOf('strong', over)).toBe('holds');
    const stops = leadsTo(
      'who plays stops',
      ({ tags }) => tags.has('waiting'),
      ({ tags }) => !tags.has('waiting'),
    );
    expect(verdictOf('strong', stops)).toBe('violated');
  });

  it('a lost grant leaves its client waiting for ever: liveness and rest are violated, safety is not', () => {
    const found = explore(centralLock, star(3), { losses: 1 });
    expect(verdicts(found)).toEqual(['holds', 'reached', 'violated', 'holds', 'violated']);
    const { trace, loopsFrom } = finding(found, 'who waits enters');
    expect(trace?.lines.map(({ event }) => event.kind)).toEqual(['command', 'drop']);
    expect(loopsFrom).toBe(2);
    expect(kinds(found, standardProperties[1] ?? '')).toContain('drop');
  });

  it('the way to the loop keeps what the property says of it: it never leads through a world that pays', () => {
    const calledBack = leadsTo(
      'who calls is answered at the first try',
      ({ tags }) => tags.has('waiting'),
      ({ context, tags }) => !tags.has('waiting') && context.tries === 1,
    );
    const found = explore(calls, complete(2), { losses: 1, initiators: ['a'], properties: [calledBack] });
    const { trace, verdict } = finding(found, calledBack.name);
    expect(verdict).toBe('violated');
    expect(trace && linesText(trace.lines)).toContain('timeout');
    expect(trace && replay(calls, complete(2), trace)).toEqual({ steps: trace?.lines.length });
  });
});

describe('limits', () => {
  const properties = [...centralLock.properties, always('nobody ever asks', (system) => system.inFlight('request').length === 0)];
  const all = explore(centralLock, star(4), { properties });

  it.each([
    ['states', { states: 50 }],
    ['states', { states: 0 }],
    ['memory', { memory: 0 }],
    ['seconds', { seconds: 0 }],
    ['depth', { depth: 3 }],
  ] as const)('of %s, once reached, leave nothing to hold: %o', (limit, limits) => {
    const found = explore(centralLock, star(4), { properties, limits });
    expect(found).toMatchObject({ complete: false, limit });
    expect(found.states).toBeLessThan(all.states);
    for (const { verdict } of found.properties) expect(['incomplete', 'violated', 'reached']).toContain(verdict);
    expect(finding(found, 'who waits enters').verdict).toBe('incomplete');
  });

  it('that are as large as the system change nothing', () => {
    const { states, depth } = all;
    const found = explore(centralLock, star(4), { properties, limits: { states, depth, memory: 1000, seconds: 600 } });
    expect({ ...found, seconds: 0 }).toEqual({ ...all, seconds: 0 });
    expect(found).not.toHaveProperty('limit');
    expect(explore(centralLock, star(4), { limits: { states: states - 1 } })).toMatchObject({ complete: false, limit: 'states' });
    expect(explore(centralLock, star(4), { limits: { depth: depth - 1 } })).toMatchObject({ complete: false, limit: 'depth' });
  });

  it('do not take back what was found before', () => {
    const found = explore(centralLock, star(4), { properties, limits: { states: 50 } });
    expect(verdicts(found)).toEqual(['incomplete', 'reached', 'incomplete', 'violated', 'incomplete', 'incomplete']);
    expect(verdicts(all)).toEqual(['holds', 'reached', 'holds', 'violated', 'holds', 'holds']);
    const none = explore(centralLock, star(4), { properties, limits: { depth: 0 } });
    expect(finding(none, 'someone holds').verdict).toBe('incomplete');
  });
});

describe('after the first violation', () => {
  it('all: false stops, is not complete and leaves the rest open', () => {
    const properties = [...centralLock.properties, always('nobody ever asks', (system) => system.inFlight('request').length === 0)];
    const found = explore(centralLock, star(4), { properties, all: false });
    expect(found.complete).toBe(false);
    expect(found.states).toBeLessThan(10);
    expect(found).not.toHaveProperty('limit');
    expect(verdicts(found)).toEqual(['incomplete', 'incomplete', 'incomplete', 'violated', 'incomplete', 'incomplete']);
  });

  it('reaching what is sometimes to be does not stop it', () => {
    expect(explore(centralLock, star(3), { all: false })).toMatchObject({ complete: true });
  });
});

describe('what every protocol is checked for', () => {
  const talk = [
    sometimes('all are awake', (system) => system.count('waiting') === 0),
    leadsTo(
      'all wake up',
      () => true,
      ({ tags }) => !tags.has('waiting'),
    ),
  ];

  it('a message that no state takes: the way there, what is wrong, and the rest left open', () => {
    const found = explore(greetings, complete(2), { properties: talk });
    expect(found.complete).toBe(true);
    expect(verdicts(found)).toEqual(['reached', 'incomplete', 'violated', 'incomplete']);
    const { trace } = finding(found, standardProperties[0] ?? '');
    expect(trace?.header.get('fault')).toContain("Node b in 'asleep' does not handle 'hello'");
    expect(trace?.lines.map(({ event }) => event)).toEqual([{ kind: 'command', call: 'greet' }]);
    expect(trace && traceText(trace)).toContain('# channels: order any');
    expect(explore(greetings, complete(2), { properties: talk, all: false }).complete).toBe(false);
  });

  it('what can only go wrong is no rest', () => {
    const found = explore(greetings, complete(2), { initiators: ['a'], properties: talk });
    expect(verdicts(found)).toEqual(['incomplete', 'incomplete', 'violated', 'incomplete']);
  });

  it('waiting where nothing can happen any more', () => {
    const found = explore(greetings, complete(2), { wishes: 0, properties: talk });
    expect(verdicts(found)).toEqual(['unreached', 'violated', 'holds', 'violated']);
    expect(finding(found, standardProperties[1] ?? '').trace?.lines).toEqual([]);
  });
});

it('tells how far it is, and refuses what cannot be', () => {
  const seen: number[] = [];
  explore(centralLock, star(3), { onProgress: (states) => seen.push(states) });
  expect(seen).toEqual([1]);
  expect(() => explore(centralLock, complete(3))).toThrow(/star/);
  expect(() => explore(centralLock, star(3), { wishes: -1 })).toThrow(/wishes -1/);
});
