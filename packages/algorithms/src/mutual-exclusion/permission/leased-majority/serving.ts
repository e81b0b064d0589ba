/**
 * The option `servers`: the first nodes of the network vote, and serve clients that do not. A ballot
 * must be larger than those before it, also after a restart; a client has no stable storage, and no
 * class of ballots of its own. So voters give ballots out as *tickets*, with their answers.
 *
 * A voter has the machine of a node that also gives out tickets and sweeps; a client has that
 * machine without the region of a voter. Rules LQ18–LQ22: README.md
 */
import {
  always,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type ProtocolDefinition,
  type Shape,
} from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import { type AnyStateMachine, createMachine, not, type UnknownMachineConfig } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { stepsOf } from '../../../steps.js';
import type { Command } from '../../mutual-exclusion.js';
import {
  answersBy,
  ballotAfter,
  ballotIn,
  type Given,
  node,
  noVotes,
  ownerOf,
  renewedVote,
  requestOf,
  sender,
  tell,
  withVote,
} from './actions.js';
import { member } from './leased-majority.js';
import {
  type Context,
  type Event,
  isBefore,
  type Message,
  type PlainMessage,
  shapeWith,
  type Try,
} from './node.js';
import { knows, stateOfRegion, times } from './properties.js';

// The voter.

/** How far `ahead`, the bound on stable storage, is ahead of the tickets when it is written. */
const ticketsPerWrite = 1_000;

export const ticketIn = (event: Event): number => ('ticket' in event ? (event.ticket ?? 0) : 0);

// LQ18: the next ticket is the largest ballot that the voter has seen, and it gives none twice
const issue = node.assign(({ context }) => {
  const { nodes, self, largest, ahead = 0 } = context;
  const ticket = ballotAfter(context, largest, nodes.length + nodes.indexOf(self));
  return { largest: ticket, ahead: ticket > ahead ? ticket + ticketsPerWrite : ahead };
});

/** An answer to a client has a ticket for its next ballot. */
export const tellWithTicket: typeof tell = (whom, what) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    for (const to of whom({ context, event })) {
      const isVoter = context.nodes.includes(to);
      if (!isVoter) enqueue(issue);
      enqueue(
        tell(
          () => [to],
          (given) => ({ ...what(given), ticket: isVoter ? 0 : given.context.largest }),
        ),
      );
    }
  });

const voterImplementations = {
  actions: {
    ...answersBy(tellWithTicket),
    voteAgain: tell(sender, (given) => ({ ...renewedVote(given), ticket: 0 })),
    endVote: member.assign({ vote: 0, client: '' }),
    forgetSilent: member.assign(({ context }) => ({
      queue: context.queue
        .filter(({ silent }) => !silent)
        .map((queued) =>
          queued.from === undefined ? queued : { ...queued, silent: true as const },
        ),
    })),
  },
  guards: {
    hasClientsWaiting: ({ context }: Given) => context.queue.some(({ from }) => from !== undefined),
  },
};

const voter = member.extend(voterImplementations);

/** LQ22: requests that their clients do not repeat are forgotten after one to two leases. */
const sweepRegion = voter.createStateConfig({
  initial: 'off',
  states: {
    off: { always: { guard: 'hasClientsWaiting', target: 'running', description: 'LQ22' } },
    running: {
      always: { guard: not('hasClientsWaiting'), target: 'off', description: 'LQ22' },
      after: {
        lease: { target: 'running', reenter: true, actions: 'forgetSilent', description: 'LQ22' },
      },
    },
  },
});

const voterRegion = voter.createStateConfig({
  states: {
    free: {
      on: {
        try: [
          { guard: 'isTooSmall', actions: ['learn', 'refuse'], description: 'LQ9' },
          { actions: ['learn', 'enqueue', 'voteForFirst'], description: 'LQ20' },
        ],
      },
    },
    bound: {
      on: {
        try: [
          {
            guard: 'hasTheVote',
            target: 'bound',
            reenter: true,
            actions: ['learn', 'voteAgain'],
            description: 'LQ8',
          },
          { guard: 'isReplaced', description: 'LQ10: the client has a later ballot' },
          {
            guard: 'replacesTheVote',
            target: 'bound',
            reenter: true,
            actions: ['learn', 'endVote', 'voteForFirst', 'refuse'],
            description: 'LQ20',
          },
          { actions: ['learn', 'refuse'], description: 'LQ20' },
        ],
      },
    },
  },
});

/** A node that votes, also for clients. */
export const servingOf = (of: AnyStateMachine): AnyStateMachine =>
  extend(`serving-${of.id}`, of.provide(voterImplementations), {
    voter: voterRegion,
    sweep: sweepRegion,
  });

// The client.

/** LQ19: a client without a ticket asks one voter after the other; with one, it asks all. */
const votersToAsk = ({ context: { nodes, ballot, round } }: Given) =>
  ballot > 0 ? nodes : nodes.slice(round % nodes.length).slice(0, 1);

const clientImplementations = {
  actions: {
    // LQ21: the ticket that has come, or for LQ19 the one in reserve
    takeBallot: member.assign(({ context, event }) => {
      const { largest, reserve = 0 } = context;
      const isTry = event.type === 'acquire';
      const ballot = isTry ? (reserve > largest ? reserve : 0) : ticketIn(event);
      return {
        ballot,
        isTry,
        largest: Math.max(largest, ballot),
        reserve: 0,
        round: 0,
        ...noVotes(context),
      };
    }),
    request: tell(votersToAsk, ({ context }) => {
      const { round, ballot, isTry } = context;
      const type = isTry && (round === 1 || ballot === 0) ? 'try' : 'request';
      return { type, ...requestOf(context) };
    }),
    takeVote: member.assign(({ context, event }) => ({
      ...withVote(context, event),
      reserve: Math.max(context.reserve ?? 0, ticketIn(event)),
    })),
  },
  guards: {
    isCurrent: ({ context, event }: Given) =>
      ballotIn(event) === context.ballot &&
      (event.type === 'vote' || ticketIn(event) > context.largest),
  },
};

/** A node that does not vote: the regions of a client alone. */
export function clientOf(of: AnyStateMachine): AnyStateMachine {
  const { voter: _, ...states } = of.config.states ?? {};
  const config = { ...of.config, states } as UnknownMachineConfig;
  const { actions, guards, delays } = of.provide(clientImplementations).implementations;
  const client = createMachine(config, { actions, guards, delays });
  return extend(`client-${of.id}`, client, {}, { reserve: 0, isTry: false });
}

// What the option adds to the protocol. Properties: what voters do with the requests of clients.

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Try, Context>();

/** LQ20 and LQ8: it waits for no vote that another ballot has. */
const tries = everyStep(
  'a voter votes for the ballot that a client tries, or refuses it',
  (step) => {
    const tried = receivedIn(step, 'try');
    if (!tried) return true;
    const { from, ballot } = tried;
    if (ballot > 0 && ballot < (contextOf(step.before).revoked?.floor ?? 0))
      return step.sent.length === 1 && sentIn(step, 'revoked')[0]?.to === from;
    const { vote, floor } = contextOf(step.before);
    const isOwn = ownerOf(contextOf(step.before), vote) === from;
    if (vote > ballot && isOwn) return step.sent.length === 0;
    const votes = times(step, 'vote', from, ballot);
    if (votes + times(step, 'refused', from, ballot) !== 1 || !knows(step.after, tried))
      return false;
    if (vote === 0) return votes === (ballot < Math.max(floor, tried.floor) ? 0 : 1);
    if (vote === ballot) return votes === 1;
    return votes === 0 && (!isOwn || contextOf(step.after).vote !== vote);
  },
);

const inquires = everyStep(
  'a voter inquires only for an older request, which it queues',
  (step) => {
    const request = receivedIn(step, 'request');
    if (!request || sentIn(step, 'inquire').length === 0) return true;
    const { vote, votePriority = 0 } = contextOf(step.before);
    return (
      isBefore(request, { ballot: vote, priority: votePriority }) &&
      // or a later one of its client, which has overtaken it
      contextOf(step.after).queue.some(
        ({ ballot }) =>
          ballot >= request.ballot && ownerOf(contextOf(step.after), ballot) === request.from,
      )
    );
  },
);

const hasClientsWaiting = (voter: NodeView): boolean =>
  contextOf(voter).queue.some(({ from }) => from !== undefined);

const sweeps: readonly Property[] = [
  always('the sweep of a voter runs exactly while requests of clients wait', ({ nodes }) =>
    nodes.every(
      (node) =>
        node.crashed ||
        stateOfRegion(node, 'sweep') === undefined ||
        (stateOfRegion(node, 'sweep') === 'running') === hasClientsWaiting(node),
    ),
  ),
  everyStep(
    'when a sweep is due, a voter forgets the requests that were not repeated since the last one',
    ({ cause, before, after }) => {
      if (cause.kind !== 'timeout' || !cause.timer.includes('.sweep.')) return true;
      const kept = contextOf(before).queue.filter(({ silent }) => !silent);
      const { queue } = contextOf(after);
      return (
        queue.length === kept.length &&
        queue.every(({ from, silent }) => (from === undefined) === (silent === undefined))
      );
    },
  ),
];

/** The network of these servers and of nodes that do not vote, and the input of both. */
export function amongServers(
  {
    topology,
    roles,
  }: ProtocolDefinition<PlainMessage, Command> | ProtocolDefinition<Message, Command>,
  servers: number,
) {
  const network: typeof topology = {
    ...topology,
    refuses: (of) =>
      topology.refuses(of) ??
      (of.nodes.length < servers ? `it has less than ${servers} nodes` : undefined),
    example: (n) => complete(Math.max(n, servers)),
  };
  const input = (self: NodeId, { nodes }: Topology) =>
    Object(roles.node?.input(self, complete(nodes.slice(0, servers)))); // it is an object
  return { topology: network, input };
}

/** The same protocol, where only the first nodes vote. */
export function withServers(
  definition: ProtocolDefinition<PlainMessage, Command> | ProtocolDefinition<Message, Command>,
  servers: number,
  keeps: boolean,
  machines: { readonly voter: AnyStateMachine; readonly client: AnyStateMachine },
): ProtocolDefinition<PlainMessage | Try, Command> {
  const { options, succession, messages } = definition;
  const { topology, input } = amongServers(definition, servers);
  return {
    ...definition,
    options: { ...options, servers },
    topology,
    roles: {
      voter: {
        machine: machines.voter,
        input: (...of) => ({ ...input(...of), floor: 1, client: '', ahead: 0 }),
        stable: ['ballot', 'floor', 'vote', 'client', 'ahead'],
        counters: ['ballot', 'floor', 'vote', 'ahead'],
      },
      client: { machine: machines.client, input },
    },
    roleOf: (node, { nodes }) => (nodes.indexOf(node) < servers ? 'voter' : 'client'),
    ...(succession && {
      succession: {
        ...succession,
        fields: (kept) => ({ ...succession.fields(kept), client: '' }),
      },
    }),
    messages: {
      ...messages,
      try: {
        ...messages.request,
        meaning: 'I request your vote for `ballot`, if you are free',
      },
      vote: withTicket(messages.vote),
      inquire: withTicket(messages.inquire),
      refused: withTicket(messages.refused),
      ...('revoked' in messages && { revoked: withTicket(messages.revoked) }),
    },
    cost: {
      per: 'entry',
      formula: keeps ? '0 … ∞' : `3·${servers} … ∞`,
      messages: () => ({ least: keeps ? 0 : 3 * (servers - 1), most: Infinity }),
    },
    properties: [...definition.properties, tries, inquires, ...sweeps],
    clients: { servedBy: 'voter', messages: ['request', 'try', 'released'] },
  };
}

const withTicket = <F extends string>(shape: Shape<F>) =>
  shapeWith(shape, ['ticket'], '`ticket` is a ballot for a client', ['ticket']);
