import {
  always,
  eventually,
  everyStep,
  leadsTo,
  type Message,
  type NodeView,
  type Property,
  sometimes,
} from '@conclave/core/protocol';
import { rules } from './rules.js';

const termOf = ({ context }: NodeView): number => Number(context.term);

/** Heartbeats are not messages of the election. */
const isOfElection = ({ type }: Message): boolean =>
  type === 'election' || type === 'answer' || type === 'coordinator';

/**
 * A node's own terms: no other node leads in one of them. The first term of a round belongs to the
 * largest node.
 */
function isOwn(node: NodeView): boolean {
  const above = [node.context.higher].flat().length;
  return termOf(node) % ([node.context.lower].flat().length + 1 + above) === above;
}

/**
 * Election where a leader may be deposed. The first property rests on the time-out being longer
 * than the longest round trip.
 */
export const properties: readonly Property[] = [
  always('at most one node is the leader', (system) => system.count('leader') <= 1),
  always('a leader leads in a term of its own', (system) => system.tagged('leader').every(isOwn)),
  everyStep(
    'a node that begins to lead takes a later term than it knew',
    ({ before, after }) =>
      before.tags.has('leader') || !after.tags.has('leader') || termOf(after) > termOf(before),
  ),
  always('all nodes that know a leader of the same term know the same one', (system) => {
    const leaders = new Map<number, unknown>();
    return system.tagged('decided').every((node) => {
      const known = leaders.get(termOf(node)) ?? node.context.leader;
      leaders.set(termOf(node), known);
      return known === node.context.leader;
    });
  }),
  always('a node that is the leader knows itself as the leader', (system) =>
    system.tagged('leader').every((node) => node.context.leader === node.id),
  ),
  always('a node knows only a leader that is itself or larger', (system) =>
    system
      .tagged('decided')
      .every(({ id, context: { leader } }) => typeof leader === 'string' && leader >= id),
  ),
  always('a live node larger than the leader holds an election', (system) => {
    const [leader] = system.tagged('leader');
    return (
      !leader ||
      system.nodes.every((node) => node.id <= leader.id || node.crashed || node.tags.has('waiting'))
    );
  }),
  eventually(
    'every live node knows the one leader, or a node has crashed',
    (system) =>
      system.live < system.nodes.length ||
      (system.count('leader') === 1 && system.count('decided') === system.live),
  ),
  leadsTo(
    'a node that holds an election eventually knows a leader',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => tags.has('decided'),
  ),
  everyStep(
    'the term that a node knows does not fall',
    ({ before, after }) => termOf(after) >= termOf(before),
  ),
  everyStep(
    'a node that has sent a message waits until it knows the leader',
    ({ after, sent }) =>
      !sent.some(({ message }) => isOfElection(message)) ||
      after.tags.has('waiting') ||
      after.tags.has('decided'),
  ),
  everyStep(
    'a node that waits keeps waiting until it knows the leader',
    ({ before, after }) =>
      !before.tags.has('waiting') || after.tags.has('waiting') || after.tags.has('decided'),
  ),
  ...rules,
  sometimes('a node is the leader', (system) => system.count('leader') === 1),
];
