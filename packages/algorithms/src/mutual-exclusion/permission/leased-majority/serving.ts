/**
 * The option `servers`: the first nodes of the network vote, and serve clients that are no voters.
 * A client has the regions of a client, and ballots that voters give out. Rules LQ18–LQ22:
 * README.md
 */
import { type AnyStateMachine, createMachine, not, type UnknownMachineConfig } from 'xstate';
import { extend } from '../../../composition/extended.js';
import {
  answersBy,
  ballotAfter,
  ballotIn,
  type Given,
  node,
  noVotes,
  renewedVote,
  requestOf,
  sender,
  tell,
  withVote,
} from './actions.js';
import { member } from './leased-majority.js';
import type { Event } from './node.js';

/** So many tickets of all voters are given out for each write of `ahead`. */
const batch = 1_000;

export const ticketIn = (event: Event): number => ('ticket' in event ? (event.ticket ?? 0) : 0);

/** The next ticket is the largest ballot that the voter has seen. */
// LQ18: and it gives none twice
const issue = node.assign(({ context }) => {
  const { nodes, self, largest, ahead = 0 } = context;
  const ticket = ballotAfter(context, largest, nodes.length + nodes.indexOf(self));
  return { largest: ticket, ahead: ticket > ahead ? ticket + batch : ahead };
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

const implementations = {
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

const serving = member.extend(implementations);

/** The requests of clients that come no more are forgotten after one to two leases. */
const sweep = serving.createStateConfig({
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

const trying = serving.createStateConfig({
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
  extend(`serving-${of.id}`, of.provide(implementations), { voter: trying, sweep });

/** A client without a ticket asks one voter after the other. */
// LQ19: the others ask all
const asked = ({ context: { nodes, ballot, round } }: Given) =>
  ballot > 0 ? nodes : nodes.slice(round % nodes.length).slice(0, 1);

const ofClient = {
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
    request: tell(asked, ({ context }) => {
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
  // the same machine without a region
  const config = { ...of.config, states } as UnknownMachineConfig;
  const { actions, guards, delays } = of.provide(ofClient).implementations;
  const alone = createMachine(config, { actions, guards, delays });
  return extend(`client-${of.id}`, alone, {}, { reserve: 0, isTry: false });
}
