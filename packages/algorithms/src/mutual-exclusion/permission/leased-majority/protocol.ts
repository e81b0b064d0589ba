import {
  defineProtocol,
  everyStep,
  interchangeable,
  type NodeId,
  type NodeView,
  type Property,
  type Protocol,
  type ProtocolDefinition,
  type Shape,
} from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { timers } from '../../../options.js';
import { isCommanded, stepsOf } from '../../../steps.js';
import { defineLock, withCancel } from '../../cancel.js';
import {
  type Command,
  commands,
  inCriticalSection,
  properties as locks,
  staysUntilRelease,
  tokensGrow,
} from '../../mutual-exclusion.js';
import { provingStopwatches } from './actions.js';
import { cancellableChangingMachine } from './changing.js';
import { withVoters } from './changing-protocol.js';
import { contendersOf } from './contenders.js';
import { greedyRules, keepRules } from './keep-properties.js';
import {
  cancellableGreedyKeepingMachine,
  cancellableKeepingMachine,
  greedyKeepingMachine,
  keepingMachine,
} from './keeping.js';
import { cancellableMachine, machine } from './leased-majority.js';
import type { Context, LeaseCommand, Message, PlainMessage, Try } from './node.js';
import type { Options } from './options.js';
import { prioritized } from './prioritized.js';
import { withPriority } from './prioritized-protocol.js';
import { rules } from './properties.js';
import { revocable } from './revoking.js';
import { withRevoke } from './revoking-protocol.js';
import {
  cancellableClientMachine,
  cancellableServingMachine,
  clientMachine,
  servingMachine,
} from './serving.js';
import { settingsOf } from './settings.js';
import { keepsVotes } from './step-properties.js';
import { tries } from './voter-properties.js';

export type { Command, LeaseCommand, Options };

/**
 * In real time a timer may end 1 ms early, which must be within the drift. No clock is better than
 * the least drift that there is.
 */
const shortestLease = (drift: number): number => 1 / Math.max(drift, 1e-6);

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

const staysUntilReleaseOrLoss: Property = everyStep(
  'a node in the critical section stays there until it releases, or notifies its application that its lease has expired',
  (step) =>
    !inCriticalSection(step.before) ||
    inCriticalSection(step.after) ||
    isCommanded('release', step) ||
    step.notified.some(({ type }) => type === 'lost'),
);

const properties = locks.map((property) =>
  property === staysUntilRelease ? staysUntilReleaseOrLoss : property,
);

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
    meaning:
      'I request your vote for `ballot`, for the `round`th time; no smaller one than `floor` may enter',
  },
  vote: {
    fields: ['ballot', 'round'],
    meaning: '`ballot` has my vote for one lease; this answers request number `round`',
  },
  inquire: {
    fields: ['ballot'],
    meaning: 'an older request waits for the vote that `ballot` has: can you return it?',
  },
  refused: {
    fields: ['ballot', 'floor'],
    meaning: '`ballot` is too small; `floor` is the least that I may vote for',
  },
  released: {
    fields: ['ballot', 'floor'],
    meaning: 'I need the votes for `ballot` no longer; no smaller one than `floor` may enter',
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
export function leasedMajority(options: Options = {}): Protocol<LeaseCommand> {
  const settings = settingsOf(options);
  const { keep, priority, revoke, servers, voters, cancel } = settings;
  const definition = definitionOf(settings);
  if (servers !== undefined) return defineServed(definition, servers, cancel);
  if (voters) return defineLock(withVoters(definition, voters), cancel, cancellableChangingMachine);
  const ranked = priority ? withPriority(definition) : definition;
  const cancelling = cancellableOf(settings);
  const keeps = keep !== undefined;
  return revoke
    ? defineLock(withRevoke(ranked, keeps), cancel, revocable(cancelling, keeps))
    : defineLock(ranked, cancel, cancelling);
}

type Settings = ReturnType<typeof settingsOf>;

/** With `keep` and `greedy`, and without the options that change all that. */
function definitionOf(settings: Settings): ProtocolDefinition<PlainMessage, Command> {
  const { lease, drift, renewal, validity, keep, greedy } = settings;
  const keeps = keep !== undefined;
  const isGreedy = greedy > 0;
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
        machine: isGreedy ? greedyKeepingMachine : keeps ? keepingMachine : machine,
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
      },
    },
    tolerates: ['crash', 'restart'],
    succession: { bindsFor: lease, fields: fieldsAfter },
    messages,
    commands: keeps ? keepCommands : commands,
    properties: [
      ...properties,
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

function cancellableOf({ keep, greedy, priority }: Settings) {
  const keeping = greedy > 0 ? cancellableGreedyKeepingMachine : cancellableKeepingMachine;
  const machine = keep === undefined ? cancellableMachine : keeping;
  return priority ? prioritized(machine) : machine;
}

/** The same, where only the first nodes vote. Rules LQ18–LQ22. */
function defineServed(
  definition: ProtocolDefinition<PlainMessage, Command>,
  servers: number,
  cancel: boolean,
): Protocol<LeaseCommand> {
  const { options, topology, roles, succession, messages } = definition;
  const input = (self: NodeId, { nodes }: Topology) =>
    Object(roles.node?.input(self, complete(nodes.slice(0, servers)))); // it is an object
  const served: ProtocolDefinition<PlainMessage | Try, Command> = {
    ...definition,
    options: { ...options, servers },
    topology: {
      ...topology,
      refuses: (network) =>
        topology.refuses(network) ??
        (network.nodes.length < servers ? `it has less than ${servers} nodes` : undefined),
      example: (n) => complete(Math.max(n, servers)),
    },
    roles: {
      voter: {
        machine: servingMachine,
        input: (...of) => ({ ...input(...of), floor: 1, client: '', ahead: 0 }),
        stable: ['ballot', 'floor', 'vote', 'client', 'ahead'],
      },
      client: { machine: clientMachine, input },
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
        fields: ['ballot', 'round', 'floor'],
        meaning: 'I request your vote for `ballot`, if you are free',
      },
      vote: withTicket(messages.vote),
      inquire: withTicket(messages.inquire),
      refused: withTicket(messages.refused),
    },
    cost: {
      per: 'entry',
      formula: `3·${servers} … ∞`,
      messages: () => ({ least: 3 * (servers - 1), most: Infinity }),
    },
    properties: [...definition.properties, tries],
    clients: { servedBy: 'voter', messages: ['request', 'try', 'released'] },
    symmetry: ({ nodes }) => interchangeable(nodes.slice(servers)),
  };
  if (!cancel) return defineProtocol(served);
  const machines = { voter: cancellableServingMachine, client: cancellableClientMachine };
  return defineProtocol(withCancel(served, { machines, withdraws: false }));
}

const withTicket = <F extends string>({ fields = [], meaning }: Shape<F>) => ({
  fields: [...fields, 'ticket' as const],
  meaning: `${meaning}; \`ticket\` is a ballot for a client`,
});
