import type { Protocol } from '@conclave/core/protocol';
import {
  always,
  eventually,
  type NodeView,
  never,
  type Property,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { Random } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { complete, star } from '@conclave/core/topology';
import { replay, traceText } from '@conclave/core/trace';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { enqueueActions, setup } from 'xstate';
import {
  calls,
  cards,
  centralLock,
  minimalProtocol,
} from '../../../core/src/protocol/examples.contract.js';
import { everyMessageHandled } from '../../../core/src/protocol/handles.js';
import { explore } from '../explore/explore.js';
import type { WalkOptions } from '../explore/options.js';
import { greetings, tennis } from '../fixtures/explored.contract.js';
import { askable } from '../fixtures/systems.contract.js';
import { asked } from '../run-judge/questions.contract.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { Budget } from '../worlds/budget.js';
import { noDeadlock } from '../worlds/standard-properties.js';
import { Worlds } from '../worlds/worlds.js';
import { joinedWalks, type SeedWalks, type Walks, walk, walksOfSeed } from './walk.js';
import { Swarm } from './walker.js';

const probes: readonly Property[] = [
  always('at most one waits', (system) => system.count('waiting') <= 1),
  always('at most two messages are in flight', (system) => system.inFlight().length <= 2),
  never(
    'a node has crashed while a message is in flight',
    (system) => system.live < system.nodes.length && system.inFlight().length > 1,
  ),
  sometimes('no message is in flight', (system) => system.inFlight().length === 0),
  sometimes('an unreachable state', (system) => system.nodes.length === 0),
  eventually(
    'all is quiet',
    (system) => system.count('waiting') === 0 && system.inFlight().length === 0,
  ),
];

const systems: readonly (readonly [string, Protocol, Topology, Budget])[] = [
  ['a lock', centralLock, star(3), { commands: 2 }],
  ['a lock on lossy fifo channels', centralLock, star(3), { losses: 1, order: 'fifo' }],
  [
    'callers over channels with loss and duplication',
    calls,
    complete(2),
    { losses: 1, duplications: 1, initiators: ['a'] },
  ],
  [
    'callers that crash and come back',
    calls,
    complete(2),
    { crashes: 2, restarts: 1, initiators: ['a'] },
  ],
  ['callers in a network that splits', calls, complete(2), { partitions: 1, initiators: ['a'] }],
  [
    'callers in exact time',
    calls,
    complete(2),
    { losses: 1, initiators: ['a'], time: { kind: 'exact', delay: [5, 10] } },
  ],
  ['card players', cards, complete(2), { commands: 0, losses: 1 }],
  ['a ball', tennis, complete(2), { order: 'any' }],
  ['greetings', greetings, complete(3), {}],
];

const hasCalled = ({ value }: NodeView): boolean => value === 'calling';

/** Each node may call all others at once. */
const callAll = minimalProtocol(
  setup({
    actions: {
      call: enqueueActions(({ context, enqueue }) => {
        for (const peer of context.peers) enqueue.emit(send(peer, { type: 'hello' }));
      }),
    },
  }).createMachine({
    context: ({ input }) => input,
    initial: 'idle',
    on: { hello: {} },
    states: { idle: { on: { call: { target: 'calling', actions: 'call' } } }, calling: {} },
  }),
  {
    messages: { hello: { meaning: 'hello' } },
    commands: { call: { kind: 'optional', meaning: 'call all' } },
  },
);

/** The kinds of which walks have refuted a property. */
const refuted = new Set<Property['kind']>();

const finding = ({ properties }: Walks, name: string) =>
  properties.find((property) => property.name === name);
const steps = (found: Walks, name: string) =>
  finding(found, name)?.trace?.lines.map(({ event }) => event.kind);

describe.each(sampled(systems, 5))('walks through %s', (_name, protocol, topology, budget) => {
  const questions = asked(protocol);
  const known = new Set(questions.map(({ name }) => name));
  const others = askable(protocol, probes).filter(({ name }) => !known.has(name));
  const properties = [...questions, ...others];
  const truth = explore(protocol, topology, { ...budget, properties });
  const found = walk(protocol, topology, { ...budget, properties, seed: 1, walks: 300, steps: 60 });

  it('find what a finite run decides, and never say that a property holds', () => {
    for (const { name, kind, verdict, trace, loopsFrom } of truth.properties) {
      const { verdict: walked } = finding(found, name) ?? {};
      // the explorer judges no run of a system in which nodes fail
      if (verdict === 'incomplete') expect(['incomplete', 'violated']).toContain(walked);
      // it may show a run that goes on forever where another one ends
      else if (loopsFrom === undefined || loopsFrom === trace?.lines.length)
        expect([name, walked]).toEqual([
          name,
          verdict === 'violated' || verdict === 'reached' ? verdict : 'incomplete',
        ]);
      if (walked === 'violated') refuted.add(kind);
    }
    expect(found.properties.map(({ name, kind }) => [name, kind])).toEqual(
      truth.properties.map(({ name, kind }) => [name, kind]),
    );
  });

  it('visit only reachable worlds, and most of them', () => {
    expect(found.states).toBeLessThanOrEqual(truth.states);
    expect(found.states).toBeGreaterThan(truth.states / 2);
    expect(found).toMatchObject({
      protocol: protocol.name,
      topology: topology.spec,
      seed: 1,
      walks: 300,
    });
  });

  it('leave traces that replay on fresh actors', () => {
    const traces = found.properties.flatMap(({ trace }) => trace ?? []);
    expect(traces.length).toBeGreaterThan(0);
    for (const trace of traces)
      expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  });
});

proof('refute every kind of property', () => {
  expect([...refuted].sort()).toEqual([
    'always',
    'alwaysEventually',
    'atMost',
    'eventually',
    'everyStep',
    'increases',
    'leadsTo',
    'never',
    'overtaken',
  ]);
});

describe('a walk', () => {
  const many: WalkOptions = { commands: 3, losses: 2, seed: 7, walks: 20, steps: 50 };
  const told = (seed: number) => {
    const { properties, ...counts } = walk(calls, complete(3), {
      ...many,
      properties: probes,
      seed,
    });
    return {
      counts,
      properties: properties.map(({ trace, verdict }) => [verdict, trace && traceText(trace)]),
    };
  };

  proof('is the same for the same seed, and another for another', () => {
    expect(told(7)).toEqual(told(7));
    expect(told(8).counts).not.toEqual({ ...told(7).counts, seed: 8 });
  });

  it('ends after its steps', () => {
    // A ball that no node may put down moves forever.
    const found = walk(tennis, complete(2), { commands: 0, seed: 1, walks: 3, steps: 10 });
    expect(found).toMatchObject({ walks: 3, steps: 30, states: 2 });
  });

  it('ends in a quiescent state', () => {
    const found = walk(greetings, complete(2), { commands: 0, seed: 1, walks: 3, steps: 10 });
    expect(found).toMatchObject({ walks: 3, steps: 0, states: 1 });
    expect(finding(found, noDeadlock)?.trace?.lines).toEqual([]);
  });

  it('avoids a step with an unhandled message, which is not a deadlock', () => {
    const found = walk(greetings, complete(2), { initiators: ['a'], seed: 1, walks: 5, steps: 10 });
    expect(found).toMatchObject({ steps: 5, states: 2 });
    const broken = finding(found, everyMessageHandled);
    expect([broken?.verdict, finding(found, noDeadlock)?.verdict]).toEqual([
      'violated',
      'incomplete',
    ]);
    expect(broken?.trace?.header.get('fault')).toContain(
      "Node b in 'asleep' does not handle 'hello'",
    );
    expect(broken?.trace && traceText(broken.trace)).toContain('# channels: order any');
    expect(steps(found, everyMessageHandled)).toEqual(['command']);
  });

  it('looks one step beyond its last world for unhandled messages', () => {
    const found = walk(greetings, complete(2), { seed: 1, walks: 1, steps: 1 });
    expect([finding(found, everyMessageHandled)?.verdict, found.steps]).toEqual(['violated', 1]);
  });

  it('shrinks its counterexample, in a system too large to exhaust', () => {
    const properties = [
      never(
        'two wait while one is in the critical section',
        (system) => system.count('waiting') === 2 && system.count('critical') === 1,
      ),
    ];
    const found = walk(centralLock, star(9), {
      commands: 5,
      properties,
      seed: 3,
      walks: 2,
      steps: 200,
    });
    expect(found).toMatchObject({ walks: 2, steps: 400 });
    expect(found.states).toBeGreaterThan(300);
    // Three commands, one request, one grant: no run is shorter.
    expect(steps(found, 'two wait while one is in the critical section')?.toSorted()).toEqual([
      'command',
      'command',
      'command',
      'deliver',
      'deliver',
    ]);
  });

  it('finds a violation that a search with a limit does not, by a run that replays', () => {
    const crowd = never(
      'five wait for one',
      (system) => system.count('waiting') === 5 && system.count('critical') === 1,
    );
    const properties = [crowd];
    const budget = { commands: 2, losses: 1, properties };
    const searched = explore(centralLock, star(7), { ...budget, limits: { states: 2000 } });
    expect(searched.properties[0]).toMatchObject({ name: crowd.name, verdict: 'incomplete' });
    const found = walk(centralLock, star(7), { ...budget, seed: 1, walks: 16, steps: 60 });
    expect(found.states).toBeLessThan(2000);
    const { verdict, trace } = finding(found, crowd.name) ?? {};
    expect(verdict).toBe('violated');
    // six commands, one request, one grant
    expect(steps(found, crowd.name)).toHaveLength(8);
    expect(trace && replay(centralLock, star(7), trace)).toEqual({ steps: 8 });
  });

  it('says with coverage what it has reached', () => {
    const { coverage } = walk(centralLock, star(3), {
      seed: 1,
      walks: 4,
      steps: 20,
      coverage: true,
    });
    expect(coverage?.map(({ role, taken, missed }) => [role, taken > 1, missed.length])).toEqual(
      explore(centralLock, star(3), { coverage: true }).coverage?.map(({ role, missed }) => [
        role,
        true,
        missed.length,
      ]),
    );
    expect(walk(centralLock, star(3), { seed: 1, walks: 1, steps: 1 })).not.toHaveProperty(
      'coverage',
    );
  });

  it("checks the protocol's own properties, and proves none", () => {
    const { properties } = walk(centralLock, star(3), { seed: 1, walks: 20, steps: 20 });
    expect(properties.map(({ verdict, kind }) => `${kind} ${verdict}`)).toEqual([
      'always incomplete',
      'sometimes reached',
      'leadsTo incomplete',
      'always incomplete',
      'always incomplete',
      'always incomplete',
    ]);
    expect(walk(centralLock, star(3), { seed: 1, walks: 0, steps: 20 })).toMatchObject({
      walks: 0,
      steps: 0,
      states: 0,
    });
  });

  it('does not begin each walk with a crash in the middle of a step, of which there are many', () => {
    const properties = [
      sometimes(
        'three nodes have called, and none has crashed',
        ({ live, nodes }) => live === 6 && nodes.filter(hasCalled).length === 3,
      ),
      sometimes('a node has crashed in the middle of its call', (system) =>
        system.nodes.some(
          (node) =>
            node.crashed && hasCalled(node) && [1, 2, 3, 4].includes(system.inFlight().length),
        ),
      ),
    ];
    const found = walk(callAll, complete(6), {
      seed: 1,
      walks: 40,
      steps: 8,
      crashes: 1,
      properties,
    });
    expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
      'reached',
      'reached',
    ]);
  });

  it('ends at stop, also during a long walk', () => {
    const many = { seed: 1, walks: 9, steps: 4 };
    let asked = 0;
    const third = () => ++asked === 3;
    expect(walk(centralLock, star(3), { ...many, stop: third })).toMatchObject({
      walks: 3,
      limit: 'interrupted',
    });
    expect(
      walk(tennis, complete(2), { commands: 0, seed: 1, walks: 1, steps: 1e9, stop: () => true }),
    ).toMatchObject({ walks: 1, steps: 63 });
    expect(walk(centralLock, star(3), { ...many, stop: () => false })).not.toHaveProperty('limit');
  });

  it('refutes a response by a run that ends, of which no step can be left out', () => {
    // the request or the grant is lost
    const found = walk(centralLock, star(3), {
      commands: 3,
      losses: 2,
      properties: centralLock.properties.filter(({ kind }) => kind === 'leadsTo'),
      seed: 1,
      walks: 20,
      steps: 200,
    });
    const { verdict, trace, loopsFrom, steps, loopsFromStep } = found.properties[0] ?? {};
    expect(verdict).toBe('violated');
    const kinds = trace?.lines.map(({ event }) => event.kind) ?? [];
    expect(['command drop', 'command deliver drop']).toContain(kinds.join(' '));
    expect([loopsFrom, loopsFromStep]).toEqual([trace?.lines.length, steps?.length]);
  });

  it('reports its progress', () => {
    const told: number[][] = [];
    const found = walk(centralLock, star(3), {
      seed: 1,
      walks: 3,
      steps: 4,
      onProgress: (...counts) => told.push(counts),
    });
    expect(told.map(([walks]) => walks)).toEqual([1, 2, 3]);
    expect(told.at(-1)).toEqual([found.walks, found.steps, found.states]);
  });

  it.each(['walks', 'steps'] as const)('refuses %s that are not counts', (name) => {
    for (const count of [-1, 1.5, Number.NaN])
      expect(() =>
        walk(centralLock, star(3), { seed: 1, walks: 1, steps: 1, [name]: count }),
      ).toThrow(`walk: ${name} is ${count}. Give a whole number, 0 or more.`);
  });

  it('refuses impossible budgets and networks', () => {
    expect(() => walk(centralLock, star(3), { seed: 1, walks: 1, steps: 1, losses: -1 })).toThrow(
      /losses is -1/,
    );
    expect(() => walk(centralLock, complete(3), { seed: 1, walks: 1, steps: 1 })).toThrow(/star/);
  });
});

const compiled = new CompiledWorlds(new Worlds(centralLock, star(3), { losses: 1 }));
const deliver = { type: 'deliver', from: 'b', to: 'a', message: { type: 'request' } } as const;
const delivered = compiled.actionNumber(deliver);
const dropped = compiled.actionNumber({ ...deliver, type: 'drop' });
const commanded = compiled.actionNumber({
  ...{ type: 'command', node: 'b', command: { type: 'acquire' } },
});

it('a walk leaves some faults or commands out, delays others, and one of four is uniform', () => {
  const swarm = new Swarm(compiled, new Random(1));
  const walks = Array.from({ length: 400 }, () => {
    swarm.begin();
    return [delivered, dropped, commanded].map((action) => swarm.weight(action));
  });
  const count = (holds: (weights: readonly number[]) => boolean) => walks.filter(holds).length;
  expect(count(([, drop = 1]) => drop < 1e-9)).toBeGreaterThan(40);
  expect(count(([, drop = 1]) => drop < 1e-9)).toBeLessThan(160);
  expect(count(([, , command = 1]) => command < 1e-9)).toBeGreaterThan(30);
  expect(count(([delivery = 0]) => delivery > 1e-9 && delivery < 1)).toBeGreaterThan(30);
  expect(count((weights) => weights.every((weight) => weight === 1))).toBeGreaterThan(80);
});

const options = { walks: 6, steps: 4, commands: 2, coverage: true };
const topology = star(4);
const properties = [
  sometimes('some node is inside', (system) => system.count('critical') > 0),
  never('two messages of one kind', (system) => system.nodes.length > 4),
];
const of = (seed: number): SeedWalks =>
  walksOfSeed(centralLock, topology, { ...options, properties, seed });

describe('the walks of several seeds', () => {
  it('are those of one seed where there is one, as plain data', () => {
    const part = of(3);
    expect(JSON.parse(JSON.stringify(part))).toEqual(part);
    const {
      seed,
      tick: _,
      ...alone
    } = walk(centralLock, topology, { ...options, properties, seed: 3 });
    const { seeds, properties: found, ...joined } = joinedWalks([part]);
    const { properties: expected, ...others } = alone;
    expect([joined, seeds, seed]).toEqual([others, 1, 3]);
    expect(found.map(({ seed: _, tick: __, ...finding }) => finding)).toEqual(expected);
  });

  it('have used what any has used, and take evidence from the first seed that has some', () => {
    const parts = [of(1), of(2), of(3), of(4)] as const;
    const joined = joinedWalks(parts);
    expect(joined.walks).toBe(24);
    expect(joined.steps).toBe(parts.reduce((sum, { steps }) => sum + steps, 0));
    expect(joined.states).toBe(Math.max(...parts.map(({ states }) => states)));
    const taken = (index: number) =>
      parts.some(({ usage }) => usage[0]?.transitions[index]?.taken === true);
    const transitions = parts[0].usage[0]?.transitions ?? [];
    const [first] = joined.coverage ?? [];
    expect(first?.missed).toEqual(
      transitions.filter((_, index) => !taken(index)).map(({ text }) => text),
    );
    const [inside] = joined.properties;
    const decides = parts.find((part) => part.properties[0]?.verdict === 'reached');
    expect([inside?.verdict, inside?.seed]).toEqual(['reached', decides?.seed]);
    expect(inside?.trace?.header.get('protocol')).toBe('central-lock');
  });
});
