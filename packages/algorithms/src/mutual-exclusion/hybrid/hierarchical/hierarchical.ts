/**
 * Mutual exclusion on two levels: one algorithm within each cluster, another one between the clusters' representatives.
 * The messages of both, and 3 more; channels as both need them. Rules H1–H7: README.md
 */
import { type Effect, type Json, type NodeId, type Received, send } from '@conclave/core/protocol';
import { type AnyStateMachine, not, setup } from 'xstate';
import { composed } from '../../../composition/composed.js';
import { region } from '../../../composition/region.js';
import type { Command } from '../../mutual-exclusion.js';

/** What a member and its representative say to each other; WISH only where a cluster may have several turns. The parts' messages come besides. */
export type Message =
  | { readonly type: 'claim' }
  | { readonly type: 'admitted'; readonly fence: number }
  | { readonly type: 'left' }
  | { readonly type: 'request' };

export interface Input {
  readonly self: NodeId;
  readonly representative: NodeId;
  /** The inputs of the parts; null where this node has no such part. */
  readonly within: Json;
  readonly between: Json;
}

interface Context extends Input {
  /** While held: the number of this entry. */
  readonly fence: number;
  /** At a representative: who has the inner lock and is not admitted yet. */
  readonly claimant: NodeId | null;
  /** At a representative: how many have entered since it got the outer lock, but for the first. */
  readonly turn: number;
  /** At a representative: how many members have wished and not claimed yet; below 0 while a wish is overtaken by its claim. */
  readonly requests: number;
}

type Raised = { readonly type: 'within-acquire' | 'within-release' | 'between-acquire' | 'between-release' };
export type Event = Command | Received<Message> | Raised;

export interface Parts {
  /** The machine of this node's role within its cluster, where it has one. */
  readonly within: AnyStateMachine | undefined;
  /** The machine of its role between the clusters; members have none. */
  readonly between: AnyStateMachine | undefined;
  /** Whether the role enters by itself, and whether it asks for others. */
  readonly enters: boolean;
  readonly represents: boolean;
  /** How many entries in a row a cluster may make. */
  readonly turns: number;
  /** The number of the outer lock's holding, of its part's context. */
  readonly outerFence: (between: Json, self: NodeId) => number;
}

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

/** To the representative: by a message, or by an event where it is this node itself. */
const tellAgent = (message: Message) =>
  node.enqueueActions(({ context: { self, representative }, enqueue }) => {
    if (representative === self) enqueue.raise({ ...message, from: self });
    else enqueue.emit(send(representative, message));
  });

/** A node's machine: the facade `client`, the `agent` of a representative, and the parts, each in a region of its own. */
export function machineOf({ within, between, enters, represents, turns, outerFence }: Parts): AnyStateMachine {
  const innerIsOurs = enters && within ? region('within', within).has('critical') : () => false;
  const outerIsOurs = represents && between ? region('between', between).has('critical') : () => false;
  const own = node.extend({
    actions: {
      announce: tellAgent({ type: 'request' }),
      claim: tellAgent({ type: 'claim' }),
      leave: tellAgent({ type: 'left' }),
      seekInner: node.raise({ type: 'within-acquire' }),
      giveBackInner: node.raise({ type: 'within-release' }),
      keepFence: node.assign(({ event }) => ({ fence: event.type === 'admitted' ? event.fence : 0 })),
      forgetFence: node.assign({ fence: 0 }),
      countRequest: node.assign(({ context }) => ({ requests: context.requests + 1 })),
      noteClaim: node.assign(({ context, event }) => ({
        claimant: event.type === 'claim' ? event.from : null,
        requests: turns > 1 ? context.requests - 1 : 0,
      })),
      seekOuter: node.raise({ type: 'between-acquire' }),
      giveBackOuter: node.raise({ type: 'between-release' }),
      nextTurn: node.assign(({ context }) => ({ turn: context.turn + 1 })),
      endTurns: node.assign({ turn: 0 }),
      admit: node.enqueueActions(({ context: { self, claimant, between, turn }, enqueue }) => {
        const admitted = { type: 'admitted', fence: outerFence(between, self) * turns + turn } as const;
        if (claimant === self) enqueue.raise({ ...admitted, from: self });
        else if (claimant !== null) enqueue.emit(send(claimant, admitted));
        enqueue.assign({ claimant: null });
      }),
    },
    guards: {
      innerIsOurs,
      outerIsOurs,
      isClaimed: ({ context }) => context.claimant !== null,
      anotherTurn: ({ context }) => context.turn + 1 < turns && (context.claimant !== null || context.requests > 0),
    },
  });
  const whole = own.createMachine({
    id: 'hierarchical',
    type: 'parallel',
    context: ({ input }) => ({ ...input, fence: 0, claimant: null, turn: 0, requests: 0 }),
    states: {
      ...(enters && {
        client: {
          initial: 'released',
          states: {
            released: {
              on: {
                acquire: { target: 'wanted', actions: turns > 1 ? ['announce', 'seekInner'] : 'seekInner' }, // H1, H7
              },
            },
            wanted: {
              tags: 'waiting',
              initial: 'inCluster',
              states: {
                inCluster: {
                  always: { guard: 'innerIsOurs', target: 'atRepresentative', actions: 'claim' }, // H2
                },
                atRepresentative: {
                  on: {
                    admitted: { target: '#held', actions: 'keepFence' }, // H4
                  },
                },
              },
            },
            held: {
              id: 'held',
              tags: 'critical',
              on: {
                release: { target: 'released', actions: ['leave', 'giveBackInner', 'forgetFence'] }, // H5
              },
            },
          },
        },
      }),
      ...(represents && {
        agent: {
          initial: 'idle',
          states: {
            idle: {
              always: { guard: 'isClaimed', target: 'asking', actions: 'seekOuter' }, // H3
            },
            asking: {
              always: { guard: 'outerIsOurs', target: 'open', actions: 'admit' }, // H4
            },
            open: {
              on: {
                left: [
                  ...(turns > 1 ? [{ guard: 'anotherTurn' as const, target: 'inTurn', actions: 'nextTurn' as const }] : []), // H7
                  { target: 'closing', actions: ['giveBackOuter', 'endTurns'] }, // H6
                ],
              },
            },
            ...(turns > 1 && {
              inTurn: {
                always: { guard: 'isClaimed', target: 'open', actions: 'admit' }, // H7
              },
            }),
            closing: {
              always: { guard: not('outerIsOurs'), target: 'idle' }, // H6
            },
          },
          on: {
            claim: { actions: 'noteClaim' }, // H3
            ...(turns > 1 && { request: { actions: 'countRequest' as const } }), // H7
          },
        },
      }),
    },
  });
  return composed(whole, { ...(within && { within }), ...(between && { between }) });
}
