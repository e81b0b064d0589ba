/**
 * A machine that invokes others, explored node beside node, and the same machine in XState's own
 * actors: whatever events come, the actors are in a state that the search has found.
 */
import { type LocalState, machineProtocol } from '@conclave/core/protocol';
import { proof, times } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import {
  type AnyActorRef,
  type AnyEventObject,
  type AnyStateMachine,
  assign,
  createActor,
  createMachine,
  enqueueActions,
  forwardTo,
  raise,
  sendParent,
  sendTo,
  type UnknownMachineConfig,
} from 'xstate';
import { Random } from '../../../core/src/base/random.js';
import { simulate } from '../../../core/src/simulation/index.js';
import { explore } from '../index.js';
import type { World } from './world.js';
import { worldKey } from './world-key.js';
import { Worlds } from './worlds.js';

const types = {} as {
  context: Record<string, unknown>;
  events: AnyEventObject;
  input: Record<string, unknown>;
};

const counted = (field: string) =>
  assign<Record<string, unknown>, AnyEventObject, undefined, AnyEventObject, never>({
    [field]: ({ context }: { context: Record<string, unknown> }) =>
      (Number(context[field] ?? 0) + 1) % 4,
  });

const upload = createMachine({
  types,
  context: ({ input }) => ({ file: input?.file ?? 'none', sent: 0 }),
  initial: 'sending',
  states: {
    sending: {
      on: {
        chunk: [
          { guard: ({ context }) => Number(context.sent) === 2, target: 'sent' },
          { actions: [counted('sent'), sendParent({ type: 'progress' })] },
        ],
        pause: 'paused',
      },
    },
    paused: { on: { resume: { target: 'sending', actions: sendParent({ type: 'left' }) } } },
    sent: { type: 'final' },
  },
  output: ({ context }) => ({ file: context.file }),
});

const uploader = createMachine({
  types,
  id: 'uploader',
  context: { progress: 0, left: 0, file: '' },
  initial: 'idle',
  on: { progress: { actions: counted('progress') }, left: { actions: counted('left') } },
  states: {
    idle: { on: { start: 'uploading' } },
    uploading: {
      entry: sendTo('upload', { type: 'chunk' }),
      invoke: {
        id: 'upload',
        src: upload,
        input: ({ event }) => ({ file: event.type }),
        onDone: { target: 'idle', actions: assign({ file: ({ event }) => event.output.file }) },
      },
      on: {
        tick: { actions: sendTo('upload', { type: 'chunk' }) },
        twice: {
          actions: [
            sendTo('upload', { type: 'chunk' }),
            raise({ type: 'raised' }),
            sendTo('upload', { type: 'chunk' }),
          ],
        },
        raised: { actions: sendTo('upload', { type: 'pause' }) },
        resume: { actions: forwardTo('upload') },
        again: { target: 'uploading', reenter: true },
        cancel: 'idle',
      },
    },
  },
});

const pong = createMachine({
  types,
  context: ({ input }) => ({ parent: input.parent, hits: 0 }),
  entry: sendParent({ type: 'ready' }),
  on: {
    '*': { actions: counted('hits') },
    ping: {
      actions: [
        counted('hits'),
        sendTo(({ context }) => context.parent as string, { type: 'pong' }),
      ],
    },
  },
});

const ping = createMachine({
  types,
  id: 'ping',
  context: { rallies: 0 },
  initial: 'off',
  states: {
    off: { on: { serve: 'playing' } },
    playing: {
      invoke: { id: 'pong', src: pong, input: ({ self }) => ({ parent: self }) },
      on: {
        ready: { actions: sendTo('pong', { type: 'ping' }) },
        pong: [
          {
            guard: ({ context }) => Number(context.rallies) < 3,
            actions: [
              counted('rallies'),
              enqueueActions(({ enqueue }) => {
                enqueue.sendTo('pong', { type: 'ping' });
                enqueue.sendTo('pong', { type: 'shout' });
              }),
            ],
          },
          { target: 'off', actions: assign({ rallies: 0 }) },
        ],
        quit: 'off',
      },
    },
  },
});

const leaf = createMachine({
  types,
  initial: 'waiting',
  states: {
    waiting: { on: { work: 'done' } },
    done: { type: 'final' },
  },
  output: { made: 1 },
});

const middle = createMachine({
  types,
  context: { leaves: 0 },
  initial: 'one',
  states: {
    one: {
      invoke: { id: 'first', src: leaf, onDone: { target: 'two', actions: counted('leaves') } },
      on: { work: { actions: sendTo('first', { type: 'work' }) } },
    },
    two: {
      invoke: { id: 'second', src: leaf, onDone: 'three' },
      entry: sendTo('second', { type: 'work' }),
    },
    three: { type: 'final' },
  },
});

const root = createMachine({
  types,
  id: 'root',
  type: 'parallel',
  context: { rounds: 0 },
  states: {
    left: {
      initial: 'idle',
      states: {
        idle: { on: { go: 'busy' } },
        busy: {
          invoke: {
            id: 'middle',
            src: middle,
            onDone: { target: 'idle', actions: counted('rounds') },
          },
          on: { push: { actions: sendTo('middle', { type: 'work' }) } },
        },
      },
    },
    right: {
      initial: 'idle',
      states: {
        idle: { on: { go: 'busy' } },
        busy: { invoke: { id: 'at-once', src: leaf }, on: { stop: 'idle' } },
      },
    },
  },
});

const families: Readonly<Record<string, AnyStateMachine>> = { uploader, ping, root };

/** Values and contexts by node, without what the model adds. */
type States = Readonly<Record<string, unknown>>;

const plain = (context: unknown, self: string): unknown =>
  JSON.parse(
    JSON.stringify({ ...Object(context), runningActors: undefined }, (_, value) =>
      Object(value).sessionId === undefined ? value : self,
    ),
  );

/** The actors of a running machine, by the id of their node. */
function ofActors(id: string, actor: AnyActorRef, self = id): States {
  const snapshot = actor.getSnapshot();
  const children = Object.entries(snapshot.children as Record<string, AnyActorRef>);
  const own = { value: snapshot.value, context: plain(snapshot.context, self) };
  return Object.assign(
    snapshot.status === 'active' ? { [id]: own } : {},
    ...children.map(([child, actor]) => ofActors(child, actor, self)),
  );
}

function refsOf(id: string, actor: AnyActorRef): ReadonlyMap<string, AnyActorRef> {
  const { status, children } = actor.getSnapshot();
  const own = status === 'active' ? [[id, actor] as const] : [];
  const inner = Object.entries(children as Record<string, AnyActorRef>);
  return new Map([...own, ...inner.flatMap(([child, one]) => [...refsOf(child, one)])]);
}

function ofWorld({ nodes }: World): States {
  return Object.fromEntries(
    Object.entries(nodes).flatMap(([id, { value, context }]: [string, LocalState]) => {
      if (value === 'stopped') return [];
      const inner = typeof value === 'object' && 'running' in value ? value.running : value;
      return [[id, { value: inner, context: plain(context, id) }]];
    }),
  );
}

/** The worlds in which all that was sent within the process is taken. */
function settled(worlds: Worlds, from: readonly World[]): readonly World[] {
  const known = new Map(from.map((world) => [worldKey(world, worlds.order), world]));
  const still: World[] = [];
  for (const world of known.values()) {
    // grows
    const inside = worlds
      .actions(world)
      .filter(({ type }) => type === 'deliver' || type === 'drop')
      .map((action) => worlds.next(world, action));
    if (inside.length === 0) still.push(world);
    for (const next of inside) known.set(worldKey(next, worlds.order), next);
  }
  return still;
}

const text = (states: States) => JSON.stringify(Object.entries(states).sort());

/**
 * Lets the actors of `machine` take random events, and compares them after each with the worlds to
 * which the same events lead. Returns how many it compared.
 */
function comparedWithActors(id: string, machine: AnyStateMachine, seed: number, runs: number) {
  const silenced = vi.spyOn(console, 'warn').mockImplementation(() => {}); // events to ended actors
  const protocol = machineProtocol(machine);
  const worlds = new Worlds(protocol, protocol.topology.example(0));
  const events = Object.keys(protocol.commands).map((type) => ({ type }));
  const after = (world: World, node: string, { type }: AnyEventObject): World => {
    const action = worlds
      .actions(world)
      .find((one) => one.type === 'command' && one.node === node && one.command.type === type);
    return action ? worlds.next(world, action) : world; // it is ignored
  };
  const random = new Random(seed);
  let compared = 0;
  for (let run = 0; run < runs; run++) {
    const actor = createActor(machine, { logger: () => {} });
    actor.start();
    let possible = settled(worlds, [worlds.initial]);
    for (let step = 0; step < 25; step++) {
      const is = text(ofActors(id, actor));
      possible = possible.filter((world) => text(ofWorld(world)) === is);
      expect(possible, `seed ${seed}, run ${run}, step ${step}: ${is}`).not.toEqual([]);
      compared++;
      const event = random.pick(events);
      const [node, ref] = random.pick([...refsOf(id, actor)]); // by reference, as an application may
      ref.send(event);
      possible = settled(
        worlds,
        possible.map((world) => after(world, node, event)),
      );
    }
    actor.stop();
  }
  silenced.mockRestore();
  return compared;
}

describe.each(Object.entries(families))('%s and what it invokes', (id, machine) => {
  const protocol = machineProtocol(machine);
  const topology = protocol.topology.example(0);
  const events = Object.keys(protocol.commands).map((type) => ({ type }));

  it('are, in actors of XState, in a state that the model has, whatever comes', () => {
    const runs = times(10, 40);
    expect(comparedWithActors(id, machine, 7, runs)).toBe(25 * runs);
  });

  it('have the same worlds in the kernel as by definition, and no bound on events', () => {
    const worlds = new Worlds(protocol, topology);
    const known = new Map([[worldKey(worlds.initial, worlds.order), worlds.initial]]);
    let transitions = 0;
    for (const world of known.values()) // grows
      for (const action of worlds.actions(world)) {
        const next = worlds.next(world, action);
        known.set(worldKey(next, worlds.order), next);
        transitions++;
      }
    const found = explore(protocol, topology);
    expect(found).toMatchObject({ complete: true, states: known.size, transitions });
  });

  it.each(['compiled', 'actors'] as const)('are simulated so, by %s', (host) => {
    const random = new Random(3);
    const { machine: model } = protocol.roles[id] ?? expect.fail();
    const { trace } = simulate({
      ...{ protocol, topology, host, record: true },
      workload: (application) => {
        const give = (event: AnyEventObject) => {
          const { value, context } = application.nodes[0] ?? expect.fail();
          if (model.resolveState({ value, context }).can(event)) application.tell(id, event);
        };
        for (let ms = 0; ms < 40; ms++)
          for (const event of [random.pick(events), random.pick(events)]) // at one moment
            application.later({ kind: 'fixed', ms }, () => give(event));
        return () => {};
      },
    });
    let inFlight = 0;
    for (const { event, effects } of trace?.lines ?? []) {
      if (event.kind === 'deliver') inFlight--;
      else if (event.kind !== 'start') expect(inFlight).toBe(0);
      inFlight += effects.filter(({ kind }) => kind === 'send').length;
    }
    expect(trace?.lines.filter(({ event }) => event.kind === 'deliver').length).toBeGreaterThan(20);
  });
});

const chosen = <T>(random: Random, list: readonly T[], chance: number): readonly T[] =>
  list.filter(() => random.chance(chance));

/** Actions of a child, or of a parent with these children. Those on `r` raise nothing. */
function randomActions(random: Random, children?: readonly string[], raises = true) {
  const told = children
    ? children.map((child) => sendTo(child, { type: random.pick(['d1', 'd2']) }))
    : [sendParent({ type: random.pick(['u1', 'u2']) })];
  return [
    ...chosen(random, [counted('n')], 0.3),
    ...chosen(random, told, 0.4),
    ...(raises ? chosen(random, [raise({ type: 'r' })], 0.15) : []),
  ];
}

function randomChild(random: Random, inner?: AnyStateMachine): AnyStateMachine {
  const keys = ['a', 'b', 'c'];
  const someActions = () => chosen(random, randomActions(random, undefined, false), 0.4);
  const state = (key: string) => ({
    entry: someActions(),
    exit: chosen(random, [counted('n')], 0.3),
    invoke: inner && random.chance(0.5) ? [{ id: `inner-${key}`, src: inner }] : [],
    on: Object.fromEntries([
      ...chosen(random, ['d1', 'd2', 'x', 'r'], 0.6).map((type) => {
        const target = random.pick([undefined, undefined, ...keys, 'end']);
        const actions = target === 'end' ? [] : randomActions(random, undefined, false);
        return [type, { ...(target && { target }), actions }] as const;
      }),
      ...chosen(random, [['*', { actions: counted('n') }]], 0.2),
    ]),
  });
  return createMachine({
    id: 'child',
    context: ({ input }: { readonly input?: { readonly k?: number } }) => ({ n: 0, ...input }),
    entry: someActions(),
    initial: 'a',
    states: {
      ...Object.fromEntries(keys.map((key) => [key, state(key)])),
      end: { type: 'final' },
    },
  } as UnknownMachineConfig);
}

/** A parent that stops and starts its children, and reacts to them as long as it has fuel. */
function randomParent(random: Random): AnyStateMachine {
  const children = {
    one: randomChild(random, random.chance(0.3) ? randomChild(random) : undefined),
    two: randomChild(random),
  };
  const keys = ['p', 'q', 's'];
  const hasFuel = ({ context }: { readonly context: { readonly fuel: number } }) =>
    context.fuel > 0;
  const setFuel = (change: (fuel: number) => number) =>
    assign({ fuel: ({ context }) => change(Number(Object(context).fuel)) });
  const [burn, fill] = [setFuel((fuel) => fuel - 1), setFuel(() => 4)];
  const state = () => {
    const active = chosen(random, Object.entries(children), 0.7);
    const ids = active.map(([id]) => id);
    const reaction = (type: string) => {
      const isOuter = type.startsWith('e');
      const counts = isOuter ? fill : burn;
      return {
        ...(!isOuter && { guard: hasFuel }),
        ...(random.chance(0.5)
          ? { target: random.pick(keys), reenter: random.chance(0.3), actions: counts }
          : { actions: [counts, ...randomActions(random, ids, type !== 'r')] }),
      };
    };
    return {
      entry: chosen(random, randomActions(random, ids, false), 0.3),
      invoke: active.map(([id, src]) => ({
        ...{ id, src },
        ...(random.chance(0.4) && { input: { k: random.below(2) } }),
        ...(random.chance(0.7) && {
          onDone: { guard: hasFuel, target: random.pick(keys), actions: burn },
        }),
      })),
      on: Object.fromEntries(
        chosen(random, ['e1', 'e2', 'u1', 'u2', 'r'], 0.6).map((type) => [type, reaction(type)]),
      ),
    };
  };
  return createMachine({
    id: 'parent',
    context: { n: 0, fuel: 4 },
    initial: 'p',
    states: Object.fromEntries(keys.map((key) => [key, state()])),
    on: { e3: { actions: fill } },
  } as object as UnknownMachineConfig); // of its form
}

proof('random families are in states that their models have', () => {
  let compared = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const machine = randomParent(new Random(seed));
    if (machineProtocol(machine).topology.example(0).nodes.length > 1)
      compared += comparedWithActors('parent', machine, seed, 4);
  }
  expect(compared).toBeGreaterThan(4000);
});
