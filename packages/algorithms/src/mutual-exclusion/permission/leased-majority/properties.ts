/** Properties of clients, voters and each step; the last three hold without any bound on clocks. */
import {
  always,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import { commanded, inCriticalSection, waits } from '../../mutual-exclusion.js';
import { stepRules } from './step-properties.js';

type Field = 'ballot' | 'round' | 'vote' | 'floor' | 'largest';
const numberOf = ({ context }: NodeView, field: Field): number => Number(context[field]);
// as the machine's own types say
const nodesOf = ({ context }: NodeView) => context.nodes as readonly NodeId[];
const fieldOf = (message: object, name: string): number =>
  Number(Object.entries(message).find(([field]) => field === name)?.[1]);
const sentBy = ({ sent }: NodeStep, type: string) =>
  sent.filter(({ message }) => message.type === type);

/** Those of a majority of all nodes, of which some may be down. */
const allButAMinority = (
  system: SystemView,
  of: NodeView,
  holds: (node: NodeView) => boolean,
): boolean => 2 * system.nodes.filter((node) => !holds(node)).length < nodesOf(of).length;

/** Exclusion follows, since a voter has one vote. */
const majorityIsBound = always(
  'a majority is bound to the ballot of a node in the critical section',
  (system) =>
    system
      .tagged('critical')
      .every((holder) =>
        allButAMinority(
          system,
          holder,
          (node) => numberOf(node, 'vote') === numberOf(holder, 'ballot'),
        ),
      ),
);

const losesWithNotice = everyStep(
  'a node notifies a loss exactly when it leaves the critical section without a release',
  (step) =>
    step.notified.length ===
    (inCriticalSection(step.before) && !inCriticalSection(step.after) && !commanded('release', step)
      ? 1
      : 0),
);

const returnsAll = everyStep(
  'a node that leaves the critical section returns all votes',
  (step) => {
    if (!inCriticalSection(step.before) || inCriticalSection(step.after)) return true;
    const returned = sentBy(step, 'released').filter(
      ({ message }) => fieldOf(message, 'ballot') === numberOf(step.before, 'ballot'),
    );
    return new Set(returned.map(({ to }) => to)).size === nodesOf(step.after).length - 1;
  },
);

const asksAll = everyStep(
  'a request goes to all other nodes, for the ballot and round of its client',
  (step) => {
    const requests = sentBy(step, 'request');
    const { after } = step;
    if (requests.length === 0)
      return !waits(after) || numberOf(after, 'round') === numberOf(step.before, 'round');
    return (
      new Set(requests.map(({ to }) => to)).size === nodesOf(after).length - 1 &&
      requests.every(
        ({ message }) =>
          fieldOf(message, 'ballot') === numberOf(after, 'ballot') &&
          fieldOf(message, 'round') === numberOf(after, 'round'),
      )
    );
  },
);

const votesForOne = everyStep('a voter votes for the one ballot to which it is bound', (step) =>
  sentBy(step, 'vote').every(
    ({ message }) => fieldOf(message, 'ballot') === numberOf(step.after, 'vote'),
  ),
);

/** Otherwise a vote for an earlier request with the same ballot would count for a later one. */
const onlyRequested = always(
  'each vote in transit is for a ballot that its client has taken',
  (system) =>
    system
      .inFlight('vote')
      .every(
        ({ to, message }) => fieldOf(message, 'ballot') <= numberOf(system.node(to), 'ballot'),
      ),
);

const grow = everyStep(
  'a floor never falls, and a new ballot is larger than all that its node has seen',
  ({ before, after }) =>
    numberOf(after, 'floor') >= numberOf(before, 'floor') &&
    (numberOf(after, 'ballot') === numberOf(before, 'ballot') ||
      numberOf(after, 'ballot') > numberOf(before, 'largest')),
);

const isRecorded = always(
  'a majority is bound to the ballot of a node in the critical section, or votes for no smaller one',
  (system) =>
    system.tagged('critical').every((holder) => {
      const ballot = numberOf(holder, 'ballot');
      return allButAMinority(
        system,
        holder,
        (node) => numberOf(node, 'vote') === ballot || numberOf(node, 'floor') >= ballot,
      );
    }),
);

const keepsFloor = everyStep('a voter takes no ballot below its floor', ({ before, after }) => {
  const vote = numberOf(after, 'vote');
  return vote === 0 || vote === numberOf(before, 'vote') || vote >= numberOf(after, 'floor');
});

/** What the growth of tokens rests on without clocks. */
export const timeless: readonly Property[] = [grow, isRecorded, keepsFloor];

export const rules: readonly Property[] = [
  majorityIsBound,
  losesWithNotice,
  returnsAll,
  asksAll,
  votesForOne,
  onlyRequested,
  ...stepRules,
  ...timeless,
];
