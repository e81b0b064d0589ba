/**
 * Locks by time stamps, as Ricart and Agrawala's: right ones, and such whose mistake shows in larger
 * networks or after more entries only.
 */
import { setup } from 'xstate';
import { type Effect, type NodeId, type Received, send } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import * as needs from '../../topology/needs.js';
import { type Command, lock } from './wrong-later.contract.js';

type Talk = { type: 'request'; ts: number } | { type: 'reply' };

interface Input {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
}

interface Context extends Input {
  readonly clock: number;
  readonly requestedAt: number;
  readonly awaiting: readonly NodeId[];
  readonly deferred: readonly NodeId[];
}

interface Request {
  readonly ts: number;
  readonly from: NodeId;
}

/** What may be wrong. */
interface Rules {
  readonly tick: (clock: number) => number;
  readonly witness: (context: Context, request: Request) => number;
  readonly isOlder: (context: Context, request: Request) => boolean;
  /** Whether a node that is inside, or whose request is older, makes others wait. */
  readonly defers: (context: Context, request: Request) => boolean;
}

const rules: Rules = {
  tick: (clock) => clock + 1,
  witness: ({ clock }, { ts }) => Math.max(clock, ts) + 1,
  isOlder: ({ requestedAt, self }, { ts, from }) =>
    requestedAt < ts || (requestedAt === ts && self < from),
  defers: () => true,
};

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Command | Received<Talk>;
    emitted: Effect<Talk>;
  },
});

const stamped = (changed: Partial<Rules>): Protocol => {
  const { tick, witness, isOlder, defers } = { ...rules, ...changed };
  /** @param keeps whether the own request comes first */
  const answer = (keeps: (context: Context, request: Request) => boolean) =>
    node.enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'request') return;
      const { from } = event;
      enqueue.assign({ clock: witness(context, event) });
      if (keeps(context, event) && defers(context, event))
        enqueue.assign({ deferred: [...context.deferred, from] });
      else enqueue.emit(send(from, { type: 'reply' }));
    });
  const machine = node.createMachine({
    context: ({ input }) => ({ ...input, clock: 0, requestedAt: 0, awaiting: [], deferred: [] }),
    initial: 'idle',
    states: {
      idle: {
        tags: 'idle',
        on: {
          acquire: {
            target: 'waiting',
            actions: node.enqueueActions(({ context, enqueue }) => {
              const ts = tick(context.clock);
              enqueue.assign({ clock: ts, requestedAt: ts, awaiting: context.peers });
              for (const peer of context.peers) enqueue.emit(send(peer, { type: 'request', ts }));
            }),
          },
          request: { actions: answer(() => false) },
        },
      },
      waiting: {
        always: { guard: ({ context }) => context.awaiting.length === 0, target: 'inside' },
        on: {
          request: { actions: answer(isOlder) },
          reply: {
            actions: node.assign(({ context, event }) => ({
              awaiting: context.awaiting.filter((id) => 'from' in event && id !== event.from),
            })),
          },
        },
      },
      inside: {
        tags: 'inside',
        on: {
          request: { actions: answer(() => true) },
          release: {
            target: 'idle',
            actions: node.enqueueActions(({ context, enqueue }) => {
              for (const peer of context.deferred) enqueue.emit(send(peer, { type: 'reply' }));
              enqueue.assign({ deferred: [] });
            }),
          },
        },
      },
    },
  });
  return lock({
    topology: needs.complete,
    roles: {
      node: { machine, input: (self, topology) => ({ self, peers: topology.successors(self) }) },
    },
    messages: {
      request: { fields: ['ts'], meaning: 'may I enter?' },
      reply: { meaning: 'you may' },
    },
  });
};

export const byTimeStamps: Protocol = stamped({});

/** A protocol, and the smallest number of nodes that shows its mistake. */
type WrongLater = readonly [protocol: Protocol, n: number];
/** A protocol, and a network and entries per node that show its mistake; with one less, none does. */
type WrongNumber = readonly [protocol: Protocol, n: number, commands: number];

const strictly: Rules['isOlder'] = ({ requestedAt }, { ts }) => requestedAt < ts;
const far = (self: NodeId, from: NodeId): boolean =>
  Math.abs(self.charCodeAt(0) - from.charCodeAt(0)) > 3;

/** By what is wrong. */
export const wrongInLarger: Readonly<Record<string, WrongLater>> = {
  'no order of equal time stamps where there are five nodes or more': [
    stamped({
      isOlder: (context, request) =>
        (context.peers.length > 3 ? strictly : rules.isOlder)(context, request),
    }),
    5,
  ],
  'no order of equal time stamps of nodes that are far from each other': [
    stamped({
      isOlder: (context, request) =>
        (far(context.self, request.from) ? strictly : rules.isOlder)(context, request),
    }),
    5,
  ],
  'a clock that does not witness what comes from afar': [
    stamped({
      witness: (context, request) =>
        far(context.self, request.from) ? context.clock : rules.witness(context, request),
    }),
    5,
  ],
  'a node that lets a third one enter at once': [
    stamped({ defers: ({ deferred }) => deferred.length < 2 }),
    4,
  ],
};

/** By what is wrong with their numbers. */
export const wrongNumbers: Readonly<Record<string, WrongNumber>> = {
  'time stamps compared modulo 8': [
    stamped({
      isOlder: (context, { ts, from }) =>
        rules.isOlder({ ...context, requestedAt: context.requestedAt % 8 }, { ts: ts % 8, from }),
    }),
    2,
    3,
  ],
  'a clock that stops at 9': [
    stamped({
      tick: (clock) => Math.min(clock + 1, 9),
      witness: (context, request) => Math.min(rules.witness(context, request), 9),
    }),
    2,
    3,
  ],
  'a clock that begins again after 12': [
    stamped({ tick: (clock) => (clock > 11 ? 1 : clock + 1) }),
    2,
    4,
  ],
  'a clock that does not witness what is more than 3 ahead': [
    stamped({
      witness: (context, request) =>
        request.ts - context.clock > 3 ? context.clock : rules.witness(context, request),
    }),
    3,
    2,
  ],
};
