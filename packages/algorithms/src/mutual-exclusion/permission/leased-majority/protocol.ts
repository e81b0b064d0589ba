import {
  defineProtocol,
  type FencedProtocol,
  type NodeView,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import type { AnyStateMachine } from 'xstate';
import { shortestLease, timers } from '../../../options.js';
import { stepsOf } from '../../../steps.js';
import { fenced, withCancel } from '../../cancel.js';
import {
  type Command,
  type Contenders,
  commands,
  losableProperties,
  tokensGrow,
} from '../../mutual-exclusion.js';
import { ownerOf, provingStopwatches } from './actions.js';
import { announcingOf, withAnnouncements } from './announcing.js';
import {
  changingGreedyMachine,
  changingKeepingMachine,
  changingMachine,
  withVoters,
} from './changing.js';
import { leadingOf, withFollowers } from './following.js';
import {
  greedyKeepingMachine,
  greedyRules,
  keepingMachine,
  keepRules,
  telling,
  withWanted,
} from './keeping.js';
import { cancellable, machine } from './leased-majority.js';
import type { Context, LeaseCommand, Message, PlainMessage, Said } from './node.js';
import { prioritized, withPriority } from './prioritized.js';
import { keepsVotes, rules } from './properties.js';
import { revocable, withRevoke } from './revoking.js';
import { clientOf, servingOf, withServers } from './serving.js';
import { type Options, settingsOf } from './settings.js';

export type { Command, LeaseCommand, Options };

/**
 * What a voter knows of others: who has its vote, and whose requests wait for it. A ballot that is
 * the floor is taken for the one that has entered, since the renewals of a holder raise the floor
 * to it; otherwise the ballot that has the vote. Both may still wait: the end of a lease raises the
 * floor, too (LQ12), and a vote is no majority.
 */
function contendersOf({ id, context: of }: NodeView): Contenders {
  const context = of as unknown as Context; // of this machine
  const { vote, queue, floor } = context;
  if (vote === 0 && queue.length === 0) return none;
  const ballots = [...(vote > 0 ? [vote] : []), ...queue.map(({ ballot }) => ballot)];
  const entered = ballots.includes(floor) ? floor : vote;
  const ownersOf = (some: readonly number[]) =>
    some.map((ballot) => ownerOf(context, ballot)).filter((owner) => owner !== id);
  return {
    inside: ownersOf(ballots.filter((ballot) => ballot === entered)),
    waiting: ownersOf(ballots.filter((ballot) => ballot !== entered)),
  };
}

const none: Contenders = { inside: [], waiting: [] };

/**
 * No vote is left after the lease. Whatever entered before, a voter of it has stayed, and has its
 * ballot as its vote or below its floor.
 */
const fieldsAfter = (kept: readonly Readonly<Record<string, unknown>>[]) => {
  const ballot = Math.max(
    ...kept.flatMap(({ ballot, floor, vote }) => [Number(ballot), Number(floor), Number(vote)]),
  );
  return { ballot, floor: ballot + 1, vote: 0 };
};

/** With `keep`: how many tokens each ballot has. */
const block = 10_000;

const ballotOf = ({ context }: NodeView): number => Number(context.ballot);
const tokenOf = ({ context }: NodeView): number =>
  Number(context.ballot) * Number(context.block) + Number(context.again);

const floorOf = ({ context }: NodeView): number =>
  Number(context.floor) * Number(context.block ?? 1);

const leases = ({ context }: NodeView): readonly string[] =>
  provingStopwatches(context).map((parity) => `${parity}.running`);

const { contextOf } = stepsOf<Message, Context>();

/** `yield` is for a node that stops. */
const keepCommands: ProtocolDefinition<PlainMessage, Command>['commands'] &
  Pick<ProtocolDefinition<PlainMessage, LeaseCommand>['commands'], 'yield'> = {
  ...commands,
  yield: {
    kind: 'optional',
    meaning: 'the application returns the votes that its node keeps',
    when: keepsVotes,
  },
};

const messages: ProtocolDefinition<PlainMessage, Command>['messages'] = {
  request: {
    fields: ['ballot', 'round', 'floor'],
    counters: ['ballot', 'round', 'floor'],
    meaning:
      'I request your vote for `ballot`, for the `round`th time; no ballot smaller than `floor` may enter',
  },
  vote: {
    fields: ['ballot', 'round'],
    counters: ['ballot', 'round'],
    meaning: '`ballot` has my vote for one lease; this answers request number `round`',
  },
  inquire: {
    fields: ['ballot'],
    counters: ['ballot'],
    meaning: 'an older request waits for the vote that `ballot` has: can you return it?',
  },
  refused: {
    fields: ['ballot', 'floor'],
    counters: ['ballot', 'floor'],
    meaning: '`ballot` is too small; `floor` is the least that I may vote for',
  },
  released: {
    fields: ['ballot', 'floor'],
    counters: ['ballot', 'floor'],
    meaning: 'I no longer need the votes for `ballot`; no ballot smaller than `floor` may enter',
  },
};

/**
 * A19: a lock by leased votes of a majority. It outlives the crash and the restart of a minority,
 * also of the holder, and lost messages.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, a value that it does not take, or a
 * lease too short for two renewals.
 * @example leasedMajority({ lease: 10_000, drift: 0.01 })
 */
export function leasedMajority(options: Options = {}): FencedProtocol<LeaseCommand> {
  const settings = settingsOf(options);
  const { isTelling, priority, revoke, servers, voters, follow, announce, cancel } = settings;
  const { keeps, shown } = settings;
  const ranked = priority ? withPriority(definitionOf(settings)) : definitionOf(settings);
  const told = isTelling ? withWanted(ranked) : ranked;
  const voting = voters ? withVoters(told, voters) : told;
  const allVote = voters === undefined && (servers === undefined || follow);
  const revocable = revoke ? withRevoke(voting, allVote) : voting;
  const followed =
    servers !== undefined && follow
      ? withFollowers(revocable, servers, shown, machineOf('server', settings))
      : revocable;
  if (announce) return defined(withAnnouncements(followed), cancel);
  if (follow) return defined(followed, cancel);
  if (servers === undefined) return defined(revocable, cancel);
  const machines = { voter: machineOf('voter', settings), client: machineOf('client', settings) };
  return defined(withServers(revocable, servers, keeps, machines), cancel);
}

/** With the command `cancel`, which the machines have, where it is an option. */
const defined = <M extends Said>(
  definition: ProtocolDefinition<M, Command>,
  cancel: boolean,
): FencedProtocol<LeaseCommand> =>
  fenced<LeaseCommand>(
    cancel
      ? defineProtocol(withCancel(definition, { machines: {}, withdraws: false }))
      : defineProtocol(definition),
  );

type Settings = ReturnType<typeof settingsOf>;

/** With `keep` and `greedy`, and without the options that change all that. */
function definitionOf(settings: Settings): ProtocolDefinition<PlainMessage, Command> {
  const { lease, drift, renewal, validity, keep, greedy, keeps, isGreedy } = settings;
  const fence = keeps ? tokenOf : ballotOf;
  return {
    id: 'A19',
    name: 'leased-majority',
    title: 'Leased votes of a majority',
    problem: 'mutual-exclusion',
    citation:
      'C. G. Gray, D. R. Cheriton: Leases: An Efficient Fault-Tolerant Mechanism for Distributed File Cache Consistency. SOSP 1989; M. Maekawa: A √N Algorithm for Mutual Exclusion in Decentralized Systems. ACM TOCS 3:2, 1985',
    options: { lease, drift, renewal, ...(keeps && { keep }), ...(isGreedy && { greedy }) },
    times: {
      ...timers({ lease }, shortestLease(drift)),
      ...timers({ renewal, ...(keeps && { keep }) }),
    },
    topology: needs.complete,
    channels: {
      order: 'any',
      loss: true,
      duplication: true,
      time: { kind: 'exact', delay: [0, renewal / 2], stays: { critical: [0, renewal] } },
    },
    roles: {
      node: {
        machine: machineOf('node', settings),
        input: (self, { nodes }) => ({
          self,
          nodes,
          lease,
          validity,
          renewal,
          ballot: 0,
          floor: 0,
          vote: 0,
          ...(keeps && { keep, block }),
          ...(isGreedy && { greedy }),
        }),
        stable: ['ballot', 'floor', 'vote'],
        counters: ['ballot', 'floor', 'vote'],
      },
    },
    tolerates: ['crash', 'restart'],
    succession: { bindsFor: lease, fields: fieldsAfter },
    messages,
    commands: keeps ? keepCommands : commands,
    properties: [
      ...losableProperties,
      tokensGrow(fence),
      ...rules,
      ...(keeps ? keepRules : []),
      ...(isGreedy ? greedyRules(greedy) : []),
    ],
    cost: {
      per: 'entry',
      formula: keeps ? '0 … ∞' : '3(n−1) … ∞',
      messages: (n) => ({ least: keeps ? 0 : 3 * (n - 1), most: Infinity }),
    },
    fence,
    leases,
    floor: floorOf,
    contenders: contendersOf,
    waitsFor: (node) => {
      const { nodes, votes } = contextOf(node);
      return nodes.filter((id, at) => id !== node.id && votes[at] === 0);
    },
  };
}

// The machines, for all options that go together.

type Role = 'node' | 'voter' | 'client' | 'server';

/** One machine for the same options, so that what is compiled of it is shared. */
const known = new Map<string, AnyStateMachine>();

function machineOf(role: Role, settings: Settings): AnyStateMachine {
  const { keeps, isGreedy, isTelling, priority, revoke, voters, cancel, announce } = settings;
  const flags = [
    role,
    keeps,
    isGreedy,
    isTelling,
    priority,
    revoke,
    voters !== undefined,
    cancel,
    announce,
  ];
  const key = flags.join();
  const made = known.get(key) ?? make(role, settings);
  known.set(key, made);
  return made;
}

function make(role: Role, settings: Settings): AnyStateMachine {
  const { isTelling, priority, revoke, cancel, announce } = settings;
  const roles = { node: same, voter: servingOf, client: clientOf, server: leadingOf };
  const additions = [
    cancel ? cancellable : same,
    roles[role],
    isTelling ? telling : same,
    priority ? prioritized : same,
    revoke ? revocable : same,
    announce ? announcingOf : same,
  ];
  return additions.reduce((of, add) => add(of), variantOf(settings));
}

const same = (of: AnyStateMachine): AnyStateMachine => of;

function variantOf({ keeps, isGreedy, voters }: Settings): AnyStateMachine {
  if (isGreedy) return voters ? changingGreedyMachine : greedyKeepingMachine;
  if (keeps) return voters ? changingKeepingMachine : keepingMachine;
  return voters ? changingMachine : machine;
}
