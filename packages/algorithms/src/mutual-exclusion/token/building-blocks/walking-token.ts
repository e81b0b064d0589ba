/**
 * A token that is sought by a wave, and walks back to whoever sought it, edge by edge, against the way of the wave.
 * Rules W1–W6, on the pages of A5 and A6; how the wave spreads is what they differ in.
 */
import {
  defineProtocol,
  type Effect,
  type NodeId,
  type Protocol,
  type ProtocolDefinition,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { type Command, commands, fenced, properties } from '../../mutual-exclusion.js';
import { oneToken } from './one-token.js';
import { type Counts, countOf, cyclicallyAfter, fenceOf, isOpen, noCounts, unserved, withEntry, withRequest } from './token-knowledge.js';
import { walkingRules } from './walking-rules.js';
import type { Echo, Hearer, Search, Wave } from './wave.js';

/** What travels with the token. */
export interface Token {
  /** For each node, the number of the wish it has entered with last. */
  readonly served: Counts;
  /** For whom it is on its way. */
  readonly to: NodeId;
}

export type Message = Search | Echo | ({ readonly type: 'token' } & Token);

export interface Knowledge extends Hearer {
  /** The other nodes, going around from behind this one. */
  readonly peers: readonly NodeId[];
  /** While it is here; otherwise null. */
  readonly token: Token | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Knowledge; context: Knowledge; events: Event; emitted: Effect<Message> },
});

/** For whom the token is: for whom it is on its way; once they have had it, the first, going around, who has wished and not been served. */
export const destination = ({ peers, requested, token }: Knowledge): NodeId | undefined => {
  if (!token) return undefined;
  const { served, to } = token;
  return isOpen(token, to, countOf(requested, to)) ? to : unserved(peers, requested, served)[0];
};

const countRequest = node.assign(({ context }) => withRequest(context));

const searchBy = ({ begun }: Wave) =>
  node.enqueueActions(({ context, enqueue }) => {
    const { known, sent } = begun(context);
    enqueue.assign(known);
    for (const [to, message] of sent) enqueue.emit(send(to, message));
  });

const hearBy = ({ heard }: Wave) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    assertEvent(event, ['search', 'echo']);
    const { known, sent } = heard(context, event);
    enqueue.assign(known);
    for (const [to, message] of sent) enqueue.emit(send(to, message));
  });

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { token: { served: event.served, to: event.to } };
});

const countEntry = node.assign(({ context }) => withEntry(context));

const passToken = node.enqueueActions(({ context, enqueue }) => {
  const to = destination(context);
  const next = to === undefined ? undefined : context.towards[to];
  if (to === undefined || next === undefined || !context.token) return;
  enqueue.emit(send(next, { type: 'token', served: context.token.served, to }));
  enqueue.assign({ token: null });
});

/** The machine of a node whose wishes spread in this way. */
export const walker = (id: string, wave: Wave) =>
  node
    .extend({
      actions: { countRequest, search: searchBy(wave), hear: hearBy(wave), takeToken, countEntry, passToken },
      guards: {
        tokenIsHere: ({ context }) => context.token !== null,
        somebodyWaits: ({ context }) => destination(context) !== undefined,
        isUnserved: ({ context, event }) => {
          assertEvent(event, 'search');
          return isOpen(context.token, event.initiator, event.k);
        },
      },
    })
    .createMachine({
      id,
      context: ({ input }) => ({ ...input }),
      on: wave.comesBack ? { echo: { actions: 'hear' } } : {},
      initial: 'released',
      states: {
        released: {
          initial: 'away',
          states: {
            away: {
              always: { guard: 'tokenIsHere', target: 'here' },
              on: {
                acquire: { target: '#wanted', actions: ['countRequest', 'search'] }, // W1
                search: { actions: 'hear' }, // W2
                token: { actions: ['takeToken', 'passToken'] }, // W4
              },
            },
            here: {
              tags: 'token',
              on: {
                acquire: { target: '#held', actions: ['countRequest', 'countEntry'] }, // W1
                search: [
                  { guard: 'isUnserved', target: 'away', actions: ['hear', 'passToken'] }, // W3
                  { actions: 'hear' }, // W2
                ],
              },
            },
          },
        },
        wanted: {
          id: 'wanted',
          tags: 'waiting',
          on: {
            search: { actions: 'hear' }, // W2
            token: { target: 'held', actions: ['takeToken', 'countEntry'] }, // W5
          },
        },
        held: {
          id: 'held',
          tags: ['critical', 'token'],
          on: {
            search: { actions: 'hear' }, // W2
            release: [
              { guard: 'somebodyWaits', target: 'released.away', actions: 'passToken' }, // W6
              { target: 'released.here' }, // W6
            ],
          },
        },
      },
    });

export type WalkingTokenOptions = {
  /** Where the token is at first. Default the network's first node. */
  readonly holder?: NodeId;
};

type Own<M extends Message> = Pick<
  ProtocolDefinition<M, Command>,
  'id' | 'name' | 'title' | 'citation' | 'topology' | 'messages' | 'properties' | 'cost'
> & {
  readonly wave: Wave;
  readonly machine: ReturnType<typeof walker>;
};

/** What the messages are that such nodes send, whatever the wave. */
export const walkingMessages = {
  search: {
    fields: ['initiator', 'k'],
    meaning: '`initiator` wants to enter, with its k-th wish; remember whence you hear it, and tell others',
  },
  token: {
    fields: ['served', 'to'],
    meaning:
      'on its way to `to`, yet whoever waits where it comes by may enter; `served`: the number of the last wish with which each node has',
  },
} as const;

/** The protocol of such nodes. */
export function walkingToken<M extends Message>({ wave, machine, ...own }: Own<M>, { holder }: WalkingTokenOptions): Protocol<M, Command> {
  return defineProtocol<M, Command>({
    ...own,
    problem: 'mutual-exclusion',
    options: holder === undefined ? {} : { holder },
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine,
        input: (self, topology) => {
          const { nodes } = topology;
          return {
            self,
            neighbours: topology.successors(self),
            peers: cyclicallyAfter(self, nodes),
            requested: noCounts(nodes),
            towards: {},
            ...(wave.comesBack && { awaited: noCounts(nodes) }),
            token: self === (holder ?? nodes[0]) ? { served: noCounts(nodes), to: self } : null,
          };
        },
      },
    },
    commands,
    properties: [...properties, oneToken, fenced(fenceOf), ...walkingRules, ...own.properties],
    fence: fenceOf,
  });
}
