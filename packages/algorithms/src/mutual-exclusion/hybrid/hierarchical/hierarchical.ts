/**
 * Mutual exclusion on two levels: one algorithm within each cluster, another one between the
 * clusters' representatives. The messages of both, and 3 more; channels as both need them. Rules
 * HI1–HI7: README.md
 */
import {
  type Effect,
  type Json,
  type NodeId,
  type Protocol,
  type Received,
  send,
} from '@conclave/core/protocol';
import { type AnyStateMachine, not, setup } from 'xstate';
import { compose, region } from '../../../composition/region.js';
import { type OptionSchemas, part, whole } from '../../../options.js';
import type { Command } from '../../mutual-exclusion.js';

export type Options = {
  /** The algorithm inside each cluster. Default: the token ring. */
  readonly within?: Protocol;
  /** The algorithm between the clusters' representatives. Default: Ricart–Agrawala. */
  readonly between?: Protocol;
  /** How many clusters there are. Default 2. */
  readonly clusters?: number;
  /** How many entries in a row a cluster may make while others wait. Default 1. */
  readonly turns?: number;
};

export const hierarchicalOptions: OptionSchemas<Options> = {
  within: part('the algorithm inside a cluster: token-ring, raymond?greedy=2'),
  between: part('the algorithm between the clusters'),
  clusters: whole(2, 'how many clusters there are'),
  turns: whole(1, 'how many entries in a row a cluster may make while others wait'),
};

/**
 * The messages between a member and its representative; REQUEST only where a cluster may have
 * several turns.
 */
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
  /** While held: the fencing token of this entry. */
  readonly fence: number;
  /** At a representative: the node that has the inner lock and is not admitted yet. */
  readonly claimant: NodeId | null;
  /**
   * At a representative: the number of entries since it got the outer lock, not counting the first.
   */
  readonly turn: number;
  /**
   * At a representative: the number of members that have requested and not claimed yet; below 0
   * while a claim has overtaken its request.
   */
  readonly requests: number;
}

type Raised = {
  readonly type: 'within-acquire' | 'within-release' | 'between-acquire' | 'between-release';
};
export type Event = Command | Received<Message> | Raised;

export interface Parts {
  /** The machine of this node's role within its cluster, where it has one. */
  readonly within: AnyStateMachine | undefined;
  /** The machine of its role between the clusters; members have none. */
  readonly between: AnyStateMachine | undefined;
  /** Whether the node enters, and whether it competes between the clusters for its own. */
  readonly enters: boolean;
  readonly represents: boolean;
  /** How many entries in a row a cluster may make. */
  readonly turns: number;
  /** The fencing token of the outer lock, from the context of its part. */
  readonly outerFence: (between: Json, self: NodeId) => number;
}

const base = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

/** To the representative: by a message, or by an event where it is this node itself. */
const tellAgent = (message: Message) =>
  base.enqueueActions(({ context: { self, representative }, enqueue }) => {
    if (representative === self) enqueue.raise({ ...message, from: self });
    else enqueue.emit(send(representative, message));
  });

const admitWith = (fenceOf: (context: Context) => number) =>
  base.enqueueActions(({ context, enqueue }) => {
    const { self, claimant } = context;
    const admitted = { type: 'admitted', fence: fenceOf(context) } as const;
    if (claimant === self) enqueue.raise({ ...admitted, from: self });
    else if (claimant !== null) enqueue.emit(send(claimant, admitted));
    enqueue.assign({ claimant: null });
  });

const mayHaveAnother =
  (turns: number) =>
  ({ context: { turn, claimant, requests } }: { readonly context: Context }): boolean =>
    turn + 1 < turns && (claimant !== null || requests > 0);

/** With one turn, without fencing tokens and without parts; {@link machineOf} adds these. */
const node = base.extend({
  actions: {
    announce: tellAgent({ type: 'request' }),
    claim: tellAgent({ type: 'claim' }),
    leave: tellAgent({ type: 'left' }),
    seekInner: base.raise({ type: 'within-acquire' }),
    giveBackInner: base.raise({ type: 'within-release' }),
    keepFence: base.assign(({ event }) => ({
      fence: event.type === 'admitted' ? event.fence : 0,
    })),
    forgetFence: base.assign({ fence: 0 }),
    noteClaim: base.assign(({ event }) => ({
      claimant: event.type === 'claim' ? event.from : null,
    })),
    countRequest: base.assign(({ context }) => ({ requests: context.requests + 1 })),
    countClaim: base.assign(({ context }) => ({ requests: context.requests - 1 })),
    seekOuter: base.raise({ type: 'between-acquire' }),
    giveBackOuter: base.raise({ type: 'between-release' }),
    nextTurn: base.assign(({ context }) => ({ turn: context.turn + 1 })),
    endTurns: base.assign({ turn: 0 }),
    admit: admitWith(() => 0),
  },
  guards: {
    innerIsOurs: () => false,
    outerIsOurs: () => false,
    isClaimed: ({ context }) => context.claimant !== null,
    anotherTurn: mayHaveAnother(1),
  },
});

/** The region that the application commands. */
const client = node.createStateConfig({
  initial: 'released',
  states: {
    released: { on: { acquire: { target: 'wanted', actions: 'seekInner', description: 'HI1' } } },
    wanted: {
      tags: 'waiting',
      initial: 'inCluster',
      states: {
        inCluster: {
          always: {
            guard: 'innerIsOurs',
            target: 'atRepresentative',
            actions: 'claim',
            description: 'HI2',
          },
        },
        atRepresentative: {
          on: { admitted: { target: '#held', actions: 'keepFence', description: 'HI4' } },
        },
      },
    },
    held: {
      id: 'held',
      tags: 'critical',
      on: {
        release: {
          target: 'released',
          actions: ['leave', 'giveBackInner', 'forgetFence'],
          description: 'HI5',
        },
      },
    },
  },
});

/** The region that competes for the outer lock on behalf of the cluster. */
const agent = node.createStateConfig({
  initial: 'idle',
  states: {
    idle: {
      always: { guard: 'isClaimed', target: 'asking', actions: 'seekOuter', description: 'HI3' },
    },
    asking: {
      always: { guard: 'outerIsOurs', target: 'open', actions: 'admit', description: 'HI4' },
    },
    open: {
      on: {
        left: { target: 'closing', actions: ['giveBackOuter', 'endTurns'], description: 'HI6' },
      },
    },
    closing: { always: { guard: not('outerIsOurs'), target: 'idle', description: 'HI6' } },
  },
  on: { claim: { actions: 'noteClaim', description: 'HI3' } },
});

/**
 * The same regions where a cluster may have several turns: members announce their requests, and the
 * agent counts them.
 */
const announcingClient = node.createStateConfig({
  ...client,
  states: {
    ...client.states,
    released: {
      on: {
        acquire: { target: 'wanted', actions: ['announce', 'seekInner'], description: 'HI1, HI7' },
      },
    },
  },
});

const countingAgent = node.createStateConfig({
  ...agent,
  states: {
    idle: agent.states.idle,
    asking: agent.states.asking,
    open: {
      on: {
        left: [
          { guard: 'anotherTurn', target: 'inTurn', actions: 'nextTurn', description: 'HI7' },
          agent.states.open.on.left,
        ],
      },
    },
    inTurn: {
      always: { guard: 'isClaimed', target: 'open', actions: 'admit', description: 'HI7' },
    },
    closing: agent.states.closing,
  },
  on: {
    claim: { actions: ['noteClaim', 'countClaim'], description: 'HI3' },
    request: { actions: 'countRequest', description: 'HI7' },
  },
});

type Region = ReturnType<typeof node.createStateConfig>;

const machineWith = (states: Readonly<Record<string, Region>>) =>
  node.createMachine({
    id: 'hierarchical',
    type: 'parallel',
    context: ({ input }) => ({ ...input, fence: 0, claimant: null, turn: 0, requests: 0 }),
    states,
  });

/** The machines without their parts, by what the node does. */
const machinesWith = (client: Region, agent: Region) => ({
  member: machineWith({ client }),
  representative: machineWith({ client, agent }),
  agent: machineWith({ agent }),
  server: machineWith({}),
});

const [once, inTurns] = [
  machinesWith(client, agent),
  machinesWith(announcingClient, countingAgent),
];

/** A node's machine: `client`, the `agent` of a representative, and the parts, each a region. */
export function machineOf({
  within,
  between,
  enters,
  represents,
  turns,
  outerFence,
}: Parts): AnyStateMachine {
  const kind = enters
    ? represents
      ? 'representative'
      : 'member'
    : represents
      ? 'agent'
      : 'server';
  const parts = { ...(within && { within }), ...(between && { between }) };
  const whole = (turns > 1 ? inTurns : once)[kind].provide({
    actions: {
      admit: admitWith(({ self, between, turn }) => outerFence(between, self) * turns + turn),
    },
    guards: {
      ...(enters && within && { innerIsOurs: region('within', within).has('critical') }),
      ...(represents && between && { outerIsOurs: region('between', between).has('critical') }),
      anotherTurn: mayHaveAnother(turns),
    },
  });
  return compose(whole, parts);
}
