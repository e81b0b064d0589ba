import {
  always,
  ConclaveError,
  defineProtocol,
  everyStep,
  type FencedProtocol,
  type NodeId,
  type NodeView,
  type Property,
  type Protocol,
  type ProtocolDefinition,
  type SystemView,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { ticked } from '../../../clocks/clock.js';
import { validOptions } from '../../../options.js';
import { isCommanded, receiversIn, sameIds, sendsNothingTwice, stepsOf } from '../../../steps.js';
import { type CancellableCommand, fenced, withCancel } from '../../cancel.js';
import {
  type Command,
  commands,
  inCriticalSection,
  nodesIn,
  properties,
  tokensGrow,
} from '../../mutual-exclusion.js';
import { isOlder, type Request } from '../building-blocks/permissions.js';
import {
  planeOrder,
  type QuorumKind,
  type QuorumSets,
  quorumSets,
} from '../building-blocks/quorum-sets.js';
import {
  type CancellableMessage,
  cancellableMachine,
  type Message,
  machine,
  maekawaOptions,
  naive as naiveMachine,
  type Options,
} from './maekawa.js';

// Properties of clients, voters and each step by Maekawa's algorithm (ACM TOCS 3:2, 1985) with
// Sanders' correction.

const idsOf = ({ context }: NodeView, field: 'votes' | 'quorum' | 'refusals' | 'inquiries') =>
  context[field] as readonly NodeId[]; // as the machine's own types say
const numberOf = ({ context }: NodeView, field: 'clock' | 'fence' | 'entries') =>
  Number(context[field]);
// as the machine's own types say
const lockOf = ({ context }: NodeView) => context.lock as Request | null;
const { receivedIn, sentIn } = stepsOf<Message>();

/** The voters whose votes are with themselves, with a client or in transit. */
const placesOf = (system: SystemView, locked = system.inFlight('locked')): readonly NodeId[] => [
  ...system.nodes.filter((node) => !lockOf(node)).map(({ id }) => id),
  ...system.nodes.flatMap((node) => idsOf(node, 'votes')),
  ...locked.map(({ from }) => from),
  ...[...system.inFlight('relinquish'), ...system.inFlight('released')].map(({ to }) => to),
];

const eachOnce = (ids: readonly NodeId[], { nodes }: SystemView) =>
  ids.length === nodes.length && new Set(ids).size === ids.length;

const oneVoteEach = always(
  'each voter’s vote is in one place: with itself, with one client, or in transit',
  (system) => {
    return eachOnce(placesOf(system), system);
  },
);

/** The voters of a client that has cancelled, until they confirm. */
// as the machine's own types say
const unconfirmedBy = ({ context }: NodeView) => context.unconfirmed as readonly NodeId[];

/** A vote for a request that is withdrawn, while the voter does not know it. */
const returnedBy = (system: SystemView): readonly NodeId[] =>
  system.nodes.flatMap((voter) => {
    const holder = lockOf(voter)?.id;
    if (holder === undefined || !unconfirmedBy(system.node(holder)).includes(voter.id)) return [];
    const returned = [...system.inFlight('relinquish'), ...system.inFlight('released')];
    return returned.some(({ from, to }) => from === holder && to === voter.id) ? [] : voter.id;
  });

const oneVoteEachOrReturned = always(
  'each voter’s vote is in one place: with itself, with one client, in transit, or returned by a client that has cancelled',
  (system) => {
    const locked = system
      .inFlight('locked')
      .filter(({ from, to }) => !unconfirmedBy(system.node(to)).includes(from));
    return eachOnce([...placesOf(system, locked), ...returnedBy(system)], system);
  },
);

const wholeQuorumLocked = always(
  'a node in the critical section has its whole quorum locked',
  (system) =>
    system
      .tagged('critical')
      .every((holder) =>
        idsOf(holder, 'quorum').every((voter) => lockOf(system.node(voter))?.id === holder.id),
      ),
);

/** Prevents starvation: each request is younger than all that its node knew before. */
const stamps = everyStep(
  'a request goes to each other node of the quorum, with a larger time stamp than all that its node has seen',
  (step) => {
    const { before, after } = step;
    if (!isCommanded('acquire', step))
      return (
        numberOf(after, 'clock') ===
        Math.max(numberOf(before, 'clock'), receivedIn(step, 'request')?.ts ?? 0)
      );
    const others = idsOf(after, 'quorum').filter((id) => id !== after.id);
    const stamp = ticked(numberOf(before, 'clock'));
    return (
      sameIds(receiversIn(step, 'request'), others) &&
      numberOf(after, 'clock') === stamp &&
      sentIn(step, 'request').every(({ message }) => message.ts === stamp)
    );
  },
);

const counts = everyStep(
  'a fencing token is one more than the largest that the voters know, and does not change during the entry',
  (step) => {
    const { before, after } = step;
    if (!inCriticalSection(after)) return true;
    const [was, is] = [numberOf(before, 'fence'), numberOf(after, 'fence')];
    return (
      is ===
      (inCriticalSection(before)
        ? was
        : 1 + Math.max(was, numberOf(after, 'entries'), receivedIn(step, 'locked')?.entries ?? 0))
    );
  },
);

/** Without need, a returned vote may circulate forever. */
const givesBack = everyStep(
  'a waiting client returns a vote only if another voter has refused it',
  (step) => {
    const relinquished = receiversIn(step, 'relinquish');
    return (
      relinquished.length === 0 ||
      idsOf(step.after, 'refusals').some((id) => !idsOf(step.before, 'votes').includes(id))
    );
  },
);

const keepsNone = everyStep(
  'a refused client keeps no vote that its voter has inquired about',
  ({ after }) => idsOf(after, 'refusals').length === 0 || idsOf(after, 'inquiries').length === 0,
);

const nothingTwice = sendsNothingTwice('no step sends the same message to the same node twice');

const votes: readonly Property[] = [oneVoteEach, wholeQuorumLocked];

/**
 * MK3. Without `cancel` a queue whose voter inquires is never empty, and then it follows from the
 * order of the queue.
 */
const refusesYounger = everyStep(
  'a voter at once refuses a request younger than the one with its vote',
  (step) => {
    const lock = lockOf(step.before);
    const request = receivedIn(step, 'request');
    return (
      !lock ||
      !request ||
      !isOlder(lock, { ts: request.ts, id: request.from }) ||
      receiversIn(step, 'failed').includes(request.from)
    );
  },
);

const isInquiring = ({ value }: NodeView): boolean =>
  typeof value === 'object' && value.voter === 'inquiring';

/** MK4. Otherwise it would never inquire. */
const awaitsAnswer = always(
  'a voter that inquires has an answer to come, unless the client with its vote is about to leave',
  (system) => {
    const inquiring = system.nodes.filter(isInquiring);
    if (inquiring.length === 0) return true;
    const pending = [
      ...system.inFlight('inquire').map(({ from, to }) => [from, to]),
      ...[...system.inFlight('relinquish'), ...system.inFlight('released')].map(({ from, to }) => [
        to,
        from,
      ]),
    ];
    return inquiring.every((voter) => {
      const holder = lockOf(voter)?.id ?? voter.id;
      const client = system.node(holder);
      const isPending = pending.some(([id, from]) => id === voter.id && from === holder);
      return (
        isPending || !client.tags.has('waiting') || idsOf(client, 'inquiries').includes(voter.id)
      );
    });
  },
);

/** With `cancel`. */
const returnableVotes: readonly Property[] = [
  oneVoteEachOrReturned,
  wholeQuorumLocked,
  refusesYounger,
  awaitsAnswer,
];

const rules: readonly Property[] = [stamps, counts, givesBack, keepsNone, nothingTwice];

export type { CancellableCommand, Command, Options };

const fence = ({ context }: NodeView): number => Number(context.fence);

/**
 * A12: Maekawa's voting, with Sanders' correction.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, a value that it does not take, or
 * `naive` with `cancel`.
 * @example maekawa({ quorums: 'majority' })
 */
export function maekawa(options: Options = {}): FencedProtocol<CancellableCommand> {
  const {
    quorums = 'best',
    naive = false,
    cancel = false,
  } = validOptions('maekawa', maekawaOptions, options);
  if (naive && cancel)
    throw new ConclaveError(
      'bad-input',
      'maekawa: naive and cancel are both true',
      'Choose one of them.',
    );
  const setsOf = onceEach((topology) => quorumSets(quorums, topology.nodes));
  const definition: ProtocolDefinition<Message, Command> = {
    id: 'A12',
    name: 'maekawa',
    title: 'Maekawa',
    problem: 'mutual-exclusion',
    citation:
      'M. Maekawa: A √N Algorithm for Mutual Exclusion in Decentralized Systems. ACM TOCS 3:2, 1985; B. A. Sanders: The Information Structure of Distributed Mutual Exclusion Algorithms. ACM TOCS 5:3, 1987',
    options: { ...(quorums === 'best' ? {} : { quorums }), ...(naive ? { naive } : {}) },
    topology: quorums === 'plane' ? completePlane : needs.complete,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      node: {
        machine: naive ? naiveMachine : machine,
        input: (self, topology) => ({ self, quorum: setsOf(topology).get(self) ?? [] }),
      },
    },
    messages: {
      request: {
        fields: ['ts'],
        counters: ['ts'],
        meaning: 'I request your vote; `ts` is the time stamp of the request',
      },
      locked: {
        fields: ['entries'],
        counters: ['entries'],
        meaning: 'you have my vote; the largest fencing token that I know is `entries`',
      },
      failed: { meaning: 'another client has my vote, or gets it before you' },
      inquire: { meaning: 'an older request waits for my vote: can you return it?' },
      relinquish: { meaning: 'I return your vote and wait for it again' },
      released: {
        fields: ['entries'],
        counters: ['entries'],
        meaning:
          'I have left and return your vote; `entries` was my fencing token; RELEASE in the paper',
      },
    },
    commands,
    properties: [...properties, ...votes, tokensGrow(fence), ...rules],
    cost: votingCost(quorums),
    fence,
    waitsFor: (node) =>
      nodesIn('quorum')(node).filter((voter) => !nodesIn('votes')(node).includes(voter)),
  };
  return fenced<CancellableCommand>(
    cancel ? defineProtocol(cancellableOf(definition)) : defineProtocol(definition),
  );
}

const cancellableOf = (
  definition: ProtocolDefinition<Message, Command>,
): ProtocolDefinition<CancellableMessage, CancellableCommand> =>
  withCancel<CancellableMessage>(
    {
      ...definition,
      messages: {
        ...definition.messages,
        withdraw: { meaning: 'I request no longer; this returns your vote if I have it' },
        withdrawn: { meaning: 'your request is withdrawn; no answer to it follows' },
      },
      properties: [...properties, ...returnableVotes, tokensGrow(fence), ...rules],
    },
    { machines: { node: cancellableMachine }, withdraws: true },
  );

/**
 * A complete network with as many nodes as a known projective plane has points; the example is the
 * largest of at most `n` nodes.
 */
const completePlane: Protocol['topology'] = {
  ...needs.complete,
  refuses: (topology) =>
    needs.complete.refuses(topology) ??
    (planeOrder(topology.nodes.length) === undefined
      ? `there is no known projective plane for ${topology.nodes.length} nodes, only for 3, 7, 13, 21, 31, 57 …`
      : undefined),
  example: (n) => {
    let points = Math.max(3, n);
    while (planeOrder(points) === undefined) points--;
    return needs.complete.example(points);
  },
};

/**
 * 3 messages for each other node of the quorum without contention: request, vote, release. At most
 * 6, and 3 for the own voter: besides, either a `failed`, or `inquire`, `relinquish` and a second
 * `locked`.
 */
const votingCost = (quorums: QuorumKind): NonNullable<Protocol['cost']> => ({
  per: 'entry',
  formula: '3(K−1) … 6K−3',
  remark: `with quorums of K nodes, ${sizeOf[quorums]}`,
  messages: (n) => {
    const sizes = [...quorumSets(quorums, needs.complete.example(n).nodes).values()].map(
      ({ length }) => length,
    );
    return { least: 3 * (Math.min(...sizes) - 1), most: 6 * Math.max(...sizes) - 3 };
  },
});

const sizeOf: Readonly<Record<QuorumKind, string>> = {
  best: 'from √n to 2√n',
  plane: 'about √n',
  grid: 'about 2√n',
  majority: '⌈(n+1)/2⌉',
};

/** A function of networks that computes each value once. */
function onceEach(of: (topology: Topology) => QuorumSets): (topology: Topology) => QuorumSets {
  const known = new WeakMap<Topology, QuorumSets>();
  return (topology) => {
    const sets = known.get(topology) ?? of(topology);
    known.set(topology, sets);
    return sets;
  };
}
