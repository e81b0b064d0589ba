/**
 * Properties of clients, voters and each step by Maekawa's algorithm (ACM TOCS 3:2, 1985) with
 * Sanders' correction.
 */
import {
  always,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import { ticked } from '../../../clocks/clock.js';
import { isCommanded, receiversIn, sameIds, sendsNothingTwice, stepsOf } from '../../../steps.js';
import { inCriticalSection } from '../../mutual-exclusion.js';
import { isOlder, type Request } from '../building-blocks/requests.js';
import type { Message } from './maekawa.js';

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
  'a refused client keeps no vote about which its voter has inquired',
  ({ after }) => idsOf(after, 'refusals').length === 0 || idsOf(after, 'inquiries').length === 0,
);

const nothingTwice = sendsNothingTwice('no step sends the same message to the same node twice');

export const votes: readonly Property[] = [oneVoteEach, wholeQuorumLocked];

/**
 * MK3. Without `cancel` a queue whose voter inquires is never empty, and then it follows from the
 * order of the queue.
 */
const refusesYounger = everyStep(
  'a request younger than the one that has the vote is refused at once',
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
export const returnableVotes: readonly Property[] = [
  oneVoteEachOrReturned,
  wholeQuorumLocked,
  refusesYounger,
  awaitsAnswer,
];

export const rules: readonly Property[] = [stamps, counts, givesBack, keepsNone, nothingTwice];
