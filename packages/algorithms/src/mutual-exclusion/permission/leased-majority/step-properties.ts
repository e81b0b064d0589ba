/** Properties of single steps: what a client and a voter do with each message. */
import {
  always,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { commanded, inCriticalSection, waits } from '../../mutual-exclusion.js';

const numberOf = (from: object, field: string): number =>
  Number(Object.entries(from).find(([name]) => name === field)?.[1] ?? 0);
// as the machine's own types say
const nodesOf = ({ context }: NodeView) => context.nodes as readonly NodeId[];
// as the machine's own types say
const queueOf = ({ context }: NodeView) => context.queue as readonly { readonly ballot: number }[];
// as the machine's own types say
const votesOf = ({ context }: NodeView) => context.votes as readonly number[];
const requests = (node: NodeView): boolean => waits(node) || inCriticalSection(node);
const uses = (node: NodeView, ballot: number): boolean =>
  requests(node) && numberOf(node.context, 'ballot') === ballot;
const stopwatch = ({ value }: NodeView, parity: 'even' | 'odd') =>
  Object.entries(value).find(([region]) => region === parity)?.[1];

/** How often a step sends such a message to a node. */
const times = ({ sent }: NodeStep, type: string, receiver: NodeId, ballot: number): number =>
  sent.filter(
    ({ to, message }) =>
      message.type === type && to === receiver && numberOf(message, 'ballot') === ballot,
  ).length;

const received = ({ cause }: NodeStep, ...types: readonly string[]) =>
  cause.kind === 'message' && types.includes(cause.message.type)
    ? {
        from: cause.from,
        type: cause.message.type,
        ballot: numberOf(cause.message, 'ballot'),
        round: numberOf(cause.message, 'round'),
        floor: numberOf(cause.message, 'floor'),
      }
    : undefined;

const sendsOnce = everyStep('a node sends no message twice in a step', ({ sent }) => {
  const texts = sent.map(({ to, message }) => `${to} ${JSON.stringify(message)}`);
  return new Set(texts).size === texts.length;
});

const returnsUnused = everyStep(
  'a client returns each vote for another ballot than it requests',
  (step) => {
    const vote = received(step, 'vote', 'inquire');
    if (!vote || uses(step.before, vote.ballot)) return true;
    return times(step, 'released', vote.from, vote.ballot) === 1;
  },
);

const counts = everyStep('a client counts each vote for the ballot that it requests', (step) => {
  const vote = received(step, 'vote');
  if (!vote) return true;
  const latest = votesOf(step.after)[nodesOf(step.after).indexOf(vote.from)] ?? 0;
  if (uses(step.before, vote.ballot)) return !uses(step.after, vote.ballot) || latest >= vote.round;
  return latest === votesOf(step.before)[nodesOf(step.before).indexOf(vote.from)];
});

const yields = everyStep(
  'a waiting client takes a new ballot when its ballot is inquired of or refused',
  (step) => {
    const asked = received(step, 'inquire', 'refused');
    if (!asked) return true;
    const isNew =
      numberOf(step.after.context, 'ballot') !== numberOf(step.before.context, 'ballot');
    return isNew === (waits(step.before) && uses(step.before, asked.ballot));
  },
);

const countsRounds = everyStep(
  'the rounds of a ballot count up from one, and the stopwatch of a new round runs',
  ({ before, after }) => {
    if (!requests(after)) return true;
    const round = numberOf(after.context, 'round');
    const last =
      requests(before) && uses(after, numberOf(before.context, 'ballot'))
        ? numberOf(before.context, 'round')
        : 0;
    if (round === last) return round > 0;
    return round === last + 1 && stopwatch(after, round % 2 === 0 ? 'even' : 'odd') === 'running';
  },
);

const stops = always('no stopwatch runs at a client that requests nothing', ({ nodes }) =>
  nodes.every(
    (node) =>
      node.crashed ||
      requests(node) ||
      (stopwatch(node, 'even') !== 'running' && stopwatch(node, 'odd') !== 'running'),
  ),
);

const raises = everyStep(
  'entry raises the floor to the ballot, and exit above it',
  ({ before, after }) => {
    const floor = numberOf(after.context, 'floor');
    if (inCriticalSection(after)) return floor >= numberOf(after.context, 'ballot');
    return !inCriticalSection(before) || floor > numberOf(before.context, 'ballot');
  },
);

const answers = everyStep('a voter votes for a request, refuses it, or queues it', (step) => {
  const request = received(step, 'request');
  if (!request) return true;
  const { before, after } = step;
  const { from, ballot } = request;
  const vote = numberOf(before.context, 'vote');
  const nodes = nodesOf(before);
  const owner = nodes[vote % nodes.length];
  if (vote === ballot) return times(step, 'vote', from, ballot) === 1;
  if (vote > ballot && owner === from) return step.sent.length === 0;
  const isFirst = vote === 0 || owner !== from;
  if (isFirst && ballot < Math.max(numberOf(before.context, 'floor'), request.floor))
    return times(step, 'refused', from, ballot) === 1;
  if (vote === 0)
    return times(step, 'vote', from, ballot) === 1 && numberOf(after.context, 'vote') === ballot;
  if (vote > ballot && owner !== undefined && owner !== after.id)
    return times(step, 'inquire', owner, vote) === 1;
  return (
    [numberOf(after.context, 'vote'), ...queueOf(after).map((queued) => queued.ballot)].some(
      (own) => own >= ballot && nodes[own % nodes.length] === from,
    ) || times(step, 'refused', from, ballot) === 1
  );
});

const ends = everyStep(
  'a voter takes back a returned vote, and forgets the requests that its client gave up',
  (step) => {
    const released = received(step, 'released');
    if (!released) return true;
    const { before, after } = step;
    const nodes = nodesOf(before);
    const isOwn = (ballot: number) =>
      ballot > 0 && nodes[ballot % nodes.length] === released.from && ballot <= released.ballot;
    return (
      !isOwn(numberOf(after.context, 'vote')) &&
      !queueOf(after).some(({ ballot }) => isOwn(ballot)) &&
      numberOf(after.context, 'floor') >= released.floor
    );
  },
);

/** A command of the application is not lost either. */
const starts = everyStep(
  'a node that acquires requests in its first round',
  (step) => !commanded('acquire', step) || numberOf(step.after.context, 'round') === 1,
);

export const stepRules: readonly Property[] = [
  sendsOnce,
  returnsUnused,
  counts,
  yields,
  countsRounds,
  stops,
  raises,
  answers,
  ends,
  starts,
];
