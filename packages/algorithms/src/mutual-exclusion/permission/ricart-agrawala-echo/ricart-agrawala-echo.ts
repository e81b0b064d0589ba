/**
 * Ricart–Agrawala mutual exclusion (CACM 24:1, 1981) on any connected network: a request spreads by
 * the echo algorithm (E. J. H. Chang, IEEE TSE 8:4, 1982), and its echo is the permission of all
 * nodes behind the sender. 2e messages per entry; reliable channels, any order. Rules RE1–RE6:
 * README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ticked, witnessed } from '../../../clocks/clock.js';
import { crossedOff, joined, type Part } from '../../../waves/wave.js';
import type { Command } from '../../mutual-exclusion.js';
import { isOlder, type Request } from '../building-blocks/permissions.js';

/**
 * REQUEST of node `id` spreads over all edges; ECHO permits it, for the sender and all nodes behind
 * it.
 */
export type Message =
  | ({ readonly type: 'request' } & Request)
  | { readonly type: 'echo'; readonly id: NodeId };

export interface Input {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
  /** All nodes of the network, for the fencing token. */
  readonly nodes: readonly NodeId[];
}

/** The part of this node in the wave of another one's request. */
export interface Wave extends Request, Part {}

interface Context extends Input {
  readonly clock: number;
  /** The time stamp of the latest own request. */
  readonly requestedAt: number;
  /** The neighbours from which nothing has come in the own wave. */
  readonly pending: readonly NodeId[];
  /** The waves of the others, in the order in which they came. */
  readonly waves: readonly Wave[];
}

export type Event = Command | Received<Message>;

interface Given {
  readonly context: Context;
  readonly event: Event;
}

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const ownRequest = ({ requestedAt, self }: Context): Request => ({ ts: requestedAt, id: self });

/** The first wave whose echoes have come, of those that `permits` lets through. */
const returnedWave = (
  context: Context,
  permits: (request: Request) => boolean = () => true,
): Wave | undefined => context.waves.find((wave) => wave.pending.length === 0 && permits(wave));

const isOlderThanOwn = (context: Context) => (request: Request) =>
  isOlder(request, ownRequest(context));

const stamp = node.assign(({ context: { clock, neighbours } }) => ({
  clock: ticked(clock),
  requestedAt: ticked(clock),
  pending: neighbours,
}));

const request = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.neighbours)
    enqueue.emit(send(peer, { type: 'request', ...ownRequest(context) }));
});

const witness = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { clock: witnessed(context.clock, event.ts) };
});

const join = node.enqueueActions(({ context: { neighbours, waves }, event, enqueue }) => {
  assertEvent(event, 'request');
  const { ts, id, from } = event;
  const part = joined(neighbours, from);
  for (const peer of part.pending) enqueue.emit(send(peer, { type: 'request', ts, id }));
  enqueue.assign({ waves: [...waves, { ts, id, ...part }] });
});

const crossOff = node.assign(({ context, event }) => {
  assertEvent(event, ['request', 'echo']);
  if (event.id === context.self) return crossedOff(context, event.from);
  return {
    waves: context.waves.map((wave) =>
      wave.id === event.id ? { ...wave, ...crossedOff(wave, event.from) } : wave,
    ),
  };
});

/** Lets the wave that `find` finds go back to its parent. */
const echoing = (find: (context: Context) => Wave | undefined) =>
  node.enqueueActions(({ context, enqueue }) => {
    const wave = find(context);
    if (!wave?.parent) return;
    enqueue.emit(send(wave.parent, { type: 'echo', id: wave.id }));
    enqueue.assign({ waves: context.waves.filter((other) => other !== wave) });
  });

const returnedOlder = (context: Context): Wave | undefined =>
  returnedWave(context, isOlderThanOwn(context));

const member = node.extend({
  actions: {
    stamp,
    request,
    witness,
    join,
    crossOff,
    echo: echoing(returnedWave),
    echoOlder: echoing(returnedOlder),
  },
  guards: {
    isNews: ({ context, event }: Given) => {
      assertEvent(event, 'request');
      return event.id !== context.self && !context.waves.some(({ id }) => id === event.id);
    },
    hasReturned: ({ context }) => returnedWave(context) !== undefined,
    olderHasReturned: ({ context }) => returnedOlder(context) !== undefined,
    allPermit: ({ context }) => context.pending.length === 0,
  },
});

/** A node takes part in the waves of the others in each state. */
const relaying = {
  request: [
    { guard: 'isNews', actions: ['witness', 'join'], description: 'RE2' },
    { actions: 'crossOff', description: 'RE3' },
  ],
  echo: { actions: 'crossOff', description: 'RE3' },
} as const;

export const machine = member.createMachine({
  id: 'ricart-agrawala-echo',
  context: ({ input }) => ({ ...input, clock: 0, requestedAt: 0, pending: [], waves: [] }),
  initial: 'released',
  on: relaying,
  states: {
    released: {
      always: { guard: 'hasReturned', actions: 'echo', description: 'RE4' },
      on: { acquire: { target: 'wanted', actions: ['stamp', 'request'], description: 'RE1' } },
    },
    wanted: {
      tags: 'waiting',
      always: [
        { guard: 'allPermit', target: 'held', description: 'RE5' },
        { guard: 'olderHasReturned', actions: 'echoOlder', description: 'RE4' },
      ],
    },
    held: {
      tags: 'critical',
      on: { release: { target: 'released', description: 'RE6' } },
    },
  },
});
