/**
 * Commands with several examples: the environment chooses one each time, and a result says which
 * are left out.
 */

import { optionalCommands } from '@conclave/core/internal';
import { usualWorkload } from '@conclave/core/internal/simulation';
import type { Command, LocalState, Protocol } from '@conclave/core/protocol';
import { always, eventually, type Property } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { chain, complete } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { minimalProtocol, type Self } from '../../../core/src/protocol/examples.contract.js';
import { randomExamples } from '../../../core/src/protocol/random-protocol.contract.js';
import { finding } from '../fixtures/explored.contract.js';
import { plainly, probes } from '../fixtures/systems.contract.js';
import { budgetOf } from '../follow/budget-of.js';
import { follow } from '../follow/follow.js';
import { paths } from '../model/paths.js';
import { walk } from '../walk/walk.js';
import type { World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import { Worlds } from '../worlds/worlds.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

type Reserve = { type: 'reserve'; begin: number; end: number };

const booking = setup({
  types: {} as {
    input: Self;
    context: { booked: readonly (readonly [number, number])[] };
    events: Reserve;
  },
  actions: {
    book: assign(({ context, event }) => ({
      booked: [...context.booked, [event.begin, event.end] as const],
    })),
  },
}).createMachine({ context: { booked: [] }, on: { reserve: { actions: 'book' } } });

const reserve: Protocol['commands'][string] = {
  kind: 'optional',
  fields: ['begin', 'end'],
  meaning: 'book an interval',
  examples: [
    { begin: 1, end: 2 },
    { begin: 3, end: 3 },
  ],
  when: () => true,
};
const [first, second] = [
  { type: 'reserve', begin: 1, end: 2 },
  { type: 'reserve', begin: 3, end: 3 },
];
const lasting = always('each booking lasts', ({ nodes }) =>
  nodes.every(({ context }) =>
    (context.booked as readonly (readonly [number, number])[]).every(([begin, end]) => begin < end),
  ),
);
const office = minimalProtocol(booking, { commands: { reserve }, properties: [lasting] });
/** Nothing ends its runs. */
const desk: Protocol = { ...office, properties: [] };

describe('an optional command with several examples', () => {
  it('comes as any of them: a property that is wrong for the second one is violated', () => {
    const found = explore(office, complete(1));
    const { verdict, trace } = finding(found, lasting.name);
    expect([verdict, trace?.lines.map((line) => line.event)]).toEqual([
      'violated',
      [{ kind: 'command', call: 'reserve(3, 3)' }],
    ]);
    expect(found.assumptions).toEqual([]);
  });

  it('holds for the first one, which is an assumption', () => {
    const found = explore(office, complete(1), { inputs: [first] });
    expect([finding(found, lasting.name).verdict, found.assumptions]).toEqual([
      'holds',
      ["that 'reserve' comes only as reserve(1, 2)"],
    ]);
  });

  const runsOf = (options: ExploreOptions): readonly string[] => {
    const worlds = new Worlds(office, complete(1), options);
    const ends = (world: World): readonly World[] => {
      const actions = worlds.actions(world);
      return actions.length === 0
        ? [world]
        : actions.flatMap((action) => ends(worlds.next(world, action)));
    };
    const bookings = ends(worlds.initial).map(
      ({ nodes }) => (nodes.a as LocalState).context.booked as readonly number[][],
    );
    return bookings.map((booked) => booked.map(([begin]) => begin).join());
  };

  it('is counted as one command, and each of the commands that a budget lists on its own', () => {
    expect(runsOf({ commands: 2 })).toEqual(['1,1', '1,3', '3,1', '3,3']);
    expect(runsOf({ inputs: [first, second] })).toEqual(['1,3', '3,1']);
    expect(runsOf({ inputs: [second], commands: 2 })).toEqual(['3,3']);
  });

  it('comes as all of them in walks, path tests and the runs of a simulation, whose budget counts them together', () => {
    expect(
      walk(office, complete(1), { seed: 1, walks: 20, steps: 2 }).properties.map(
        ({ verdict }) => verdict,
      ),
    ).toContain('violated');
    expect(paths(office, complete(1)).actions).toEqual(['a reserve(1, 2)', 'a reserve(3, 3)']);
    const runs = [1, 2, 3, 4].map((seed) => {
      const { trace } = simulate({
        protocol: desk,
        topology: complete(2),
        workload: usualWorkload(desk),
        seed,
        record: true,
      });
      if (!trace) throw new Error('the run was not recorded');
      expect(budgetOf(desk, trace)).toMatchObject({ commands: 1, initiators: ['a', 'b'] });
      expect(budgetOf(desk, trace).inputs).toBeUndefined();
      expect(follow(desk, complete(2), trace, budgetOf(desk, trace)).actions).toHaveLength(2);
      return linesText(trace.lines);
    });
    expect(new Set(runs).size).toBeGreaterThan(1);
    for (const call of ['reserve(1, 2)', 'reserve(3, 3)']) expect(runs.join('\n')).toContain(call);
  });

  it('is counted together in the budget of a run that has both', () => {
    const { trace } = simulate({
      protocol: desk,
      topology: complete(1),
      workload: (application) => {
        for (const command of [first, second, second])
          if (command)
            application.later({ kind: 'fixed', ms: 0 }, () => application.tell('a', command));
        return () => {};
      },
      record: true,
    });
    if (!trace) throw new Error('the run was not recorded');
    expect(budgetOf(desk, trace)).toMatchObject({ commands: 3 });
    expect(follow(desk, complete(1), trace, budgetOf(desk, trace)).actions).toHaveLength(3);
    expect(() => follow(desk, complete(1), trace, { commands: 2 })).toThrow('is not possible');
  });
});

describe('what is left out is an assumption', () => {
  const paint: Protocol['commands'][string] = {
    kind: 'optional',
    fields: ['colour'],
    meaning: 'no example',
    when: () => true,
  };
  const studio = minimalProtocol(setup({}).createMachine({ on: { reserve: {}, paint: {} } }), {
    commands: { reserve, paint },
  });
  const other = { type: 'reserve', begin: 5, end: 7 };
  it.each<[string, Protocol, ExploreOptions, readonly string[]]>([
    ['no input', studio, { inputs: [first, second] }, ["that 'paint' does not come"]],
    ['no command', office, { commands: 0 }, ["that 'reserve' does not come"]],
    ['an empty list', office, { inputs: [] }, ["that 'reserve' does not come"]],
    ['no initiator', office, { initiators: [] }, ["that 'reserve' does not come"]],
    [
      'few initiators',
      office,
      { initiators: ['c', 'a'] },
      ['that optional commands come only to a, c'],
    ],
    [
      'other values',
      office,
      { inputs: [other, second] },
      ["that 'reserve' comes only as reserve(5, 7) or reserve(3, 3)"],
    ],
    ['nothing, with one more', office, { inputs: [second, other, first] }, []],
    ['nothing, with all nodes', office, { initiators: ['b', 'c', 'a'], commands: 1 }, []],
  ])('%s', (_what, protocol, options, expected) => {
    expect(explore(protocol, complete(3), { ...options, properties: [] }).assumptions).toEqual(
      expected,
    );
  });
});

describe('an obligatory command with several examples', () => {
  const worker = setup({
    types: {} as { events: { type: 'finish'; good: boolean } },
  }).createMachine({
    initial: 'busy',
    states: {
      busy: {
        tags: 'waiting',
        on: {
          finish: [{ guard: ({ event }) => event.good, target: 'done' }, { target: 'failed' }],
        },
      },
      failed: { after: { 5: 'busy' } },
      done: {},
    },
  });
  const finish: Protocol['commands'][string] = {
    kind: 'obligatory',
    fields: ['good'],
    meaning: 'the work is over',
    examples: [{ good: true }, { good: false }],
    when: ({ tags }) => tags.has('waiting'),
  };
  const isDone = eventually('all are done', ({ nodes }) =>
    nodes.every(({ value }) => value === 'done'),
  );
  const workers = minimalProtocol(worker, {
    commands: { finish },
    properties: [isDone],
    waiting: false,
  });

  it('comes once each time, as any of them', () => {
    const worlds = new Worlds(workers, complete(1));
    const commands = (world: World) =>
      worlds.actions(world).map((action) => action.type === 'command' && action.command);
    expect(commands(worlds.initial)).toEqual(
      [true, false].map((good) => ({ type: 'finish', good })),
    );
    const states = worlds
      .actions(worlds.initial)
      .map((action) => worlds.next(worlds.initial, action).nodes.a?.value);
    expect(states).toEqual(['done', 'failed']);
  });

  it('is given eventually, but no fairness makes it a certain one of them', () => {
    for (const fairness of ['weak', 'strong'] as const)
      expect(finding(explore(workers, complete(1), { fairness }), isDone.name).verdict).toBe(
        'violated',
      );
    const good = { ...workers, commands: { finish: { ...finish, examples: [{ good: true }] } } };
    expect(finding(explore(good, complete(1)), isDone.name).verdict).toBe('holds');
  });
});

/**
 * By definition: each command may take each example at any time, and the commands of a type are
 * counted here.
 */
function naively(
  protocol: Protocol,
  topology: Topology,
  budget: ExploreOptions,
  properties: readonly Property[],
) {
  const most = Number(budget.commands ?? 1);
  const inputs = optionalCommands(protocol);
  const worlds = new Worlds(protocol, topology, { ...budget, inputs });
  const plenty = Object.fromEntries(topology.nodes.map((id) => [id, inputs.map(() => 1)]));
  const keyOf = (world: World, given: readonly string[]) =>
    `${worldKey(world, worlds.order)} ${[...given].sort().join()}`;
  const open: { world: World; given: readonly string[] }[] = [];
  const known = new Set<string>();
  const decided = new Set<string>();
  let transitions = 0;
  const meet = (from: World, given: readonly string[]) => {
    const world = { ...from, remaining: { ...from.remaining, commands: plenty } };
    const key = keyOf(world, given);
    if (known.has(key)) return;
    known.add(key);
    open.push({ world, given });
    const view = worlds.view(world);
    for (const property of properties)
      if (property.kind === 'always' || property.kind === 'never' || property.kind === 'sometimes')
        if (property.holds(view) === (property.kind !== 'always')) decided.add(property.name);
  };
  const keyFor = (node: string, { type }: Command) => `${node} ${type}`;
  const isOptional = ({ type }: Command) => protocol.commands[type]?.kind === 'optional';
  meet(worlds.initial, []);
  for (const { world, given } of open)
    for (const action of worlds.actions(world)) {
      const counted =
        action.type === 'command' && isOptional(action.command)
          ? [keyFor(action.node, action.command)]
          : [];
      if (counted.some((key) => given.filter((other) => other === key).length >= most)) continue;
      let next: World;
      try {
        next = worlds.next(world, action);
      } catch {
        continue; // the step has a fault
      }
      transitions++;
      meet(next, [...given, ...counted]);
    }
  return { states: known.size, transitions, decided };
}

it('random systems whose commands have two examples have the worlds and verdicts of the definition', () => {
  const few = fc.constantFrom(0, 0, 1);
  const budget = fc.record({
    commands: fc.constantFrom(1, 1, 2),
    losses: few,
    crashes: few,
    order: fc.constantFrom('fifo' as const, 'any' as const),
    atomicSteps: fc.constant(true),
  });
  let compared = 0;
  assertRuns(
    fc.property(
      randomExamples,
      fc.constantFrom(complete(1), complete(2), chain(3)),
      budget,
      (protocol, network, asked) => {
        const found = explore(protocol, network, {
          ...asked,
          properties: probes,
          limits: { states: 1_000 },
        });
        if (!found.complete) return;
        compared++;
        const { states, transitions, decided } = naively(protocol, network, asked, probes);
        expect({ states: found.states, transitions: found.transitions }).toEqual({
          states,
          transitions,
        });
        const isClean = found.properties.every(({ verdict }) => verdict !== 'incomplete');
        for (const { name, kind, verdict } of found.properties) {
          if (!probes.some((probe) => probe.name === name)) continue;
          const isDecided = verdict === 'violated' || verdict === 'reached';
          expect(`${name}: ${isDecided}`).toBe(`${name}: ${decided.has(name)}`);
          if (isClean && !isDecided)
            expect(plainly(verdict)).toBe(kind === 'sometimes' ? 'unreached' : 'holds');
        }
      },
    ),
    4,
    60,
    23,
  );
  if (isWhole) expect(compared).toBeGreaterThan(18);
});
