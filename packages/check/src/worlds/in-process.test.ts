/**
 * A machine that invokes others, explored node beside node, and the same machine in XState's own
 * actors: whatever events come, the actors are in a state that the search has found.
 */
import { type LocalState, machineProtocol } from '@conclave/core/protocol';
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
      exit: sendParent({ type: 'left' }),
    },
    paused: { on: { resume: 'sending' } },
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
      .filter(({ type }) => type === 'deliver')
      .map((action) => worlds.next(world, action));
    if (inside.length === 0) still.push(world);
    for (const next of inside) known.set(worldKey(next, worlds.order), next);
  }
  return still;
}

const text = (states: States) => JSON.stringify(Object.entries(states).sort());

describe.each(Object.entries(families))('%s and what it invokes', (id, machine) => {
  const protocol = machineProtocol(machine);
  const topology = protocol.topology.example(0);
  const events = Object.keys(protocol.commands).map((type) => ({ type }));

  it('are, in actors of XState, in a state that the model has, whatever comes', () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {}); // of events to an actor that has ended
    const worlds = new Worlds(protocol, topology);
    const random = new Random(7);
    let steps = 0;
    for (let run = 0; run < 40; run++) {
      const actor = createActor(machine, { logger: () => {} });
      actor.start();
      let possible = settled(worlds, [worlds.initial]);
      for (let step = 0; step < 25; step++) {
        const is = text(ofActors(id, actor));
        possible = possible.filter((world) => text(ofWorld(world)) === is);
        expect(possible, `run ${run}, step ${step}: ${is}`).not.toEqual([]);
        const event = random.pick(events);
        actor.send(event);
        possible = settled(
          worlds,
          possible.flatMap((world) => {
            const action = worlds
              .actions(world)
              .find(
                (one) =>
                  one.type === 'command' && one.node === id && one.command.type === event.type,
              );
            return [action ? worlds.next(world, action) : world]; // ignored
          }),
        );
        steps++;
      }
      actor.stop();
    }
    expect(steps).toBe(1000);
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
