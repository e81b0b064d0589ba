/**
 * Termination detection (Dijkstra & Scholten 1980; Francez 1980): a node of a computation is active
 * or passive; an active one sends work, and is passive when its own is done; a passive one becomes active only by
 * work that it gets. The computation has terminated when all nodes are passive and no work is on its
 * way: then nothing happens any more.
 */
import {
  always,
  eventually,
  everyStep,
  type NodeView,
  type Property,
  type Protocol,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import { receiversIn, sameIds, senderIn } from '../steps.js';

export interface Command {
  readonly type: 'distribute';
}

const isActive = ({ tags }: NodeView): boolean => tags.has('active');

export const commands: Readonly<Record<Command['type'], Protocol['commands'][string]>> = {
  distribute: { kind: 'optional', meaning: 'an active node sends work', when: isActive },
};

/** A network with at least two nodes: work goes to another one. */
export const withReceivers = (need: Protocol['topology']): Protocol['topology'] => ({
  ...need,
  refuses: (topology) =>
    need.refuses(topology) ??
    (topology.nodes.length > 1 ? undefined : 'it has one node, which can give work to nobody'),
  example: (n) => need.example(Math.max(n, 2)),
});

/** Whether the computation has terminated. */
const isOver = (system: SystemView): boolean =>
  system.count('active') === 0 && system.inFlight('work').length === 0;

export const properties: readonly Property[] = [
  always(
    'termination is announced only when all nodes are passive and no work is on its way',
    (system) => system.count('announced') === 0 || isOver(system),
  ),
  eventually('termination is announced', (system) => system.count('announced') > 0),
  everyStep('a node that gets work is active until its own work is done', (step) => {
    const gets = senderIn(step, 'work').length > 0;
    return (
      isActive(step.after) === (gets || (isActive(step.before) && step.cause.kind !== 'timeout'))
    );
  }),
  everyStep('work goes to the node that is chosen', (step) =>
    sameIds(
      receiversIn(step, 'work'),
      step.cause.kind === 'choice' ? [String(step.cause.value)] : [],
    ),
  ),
  ...['initiator', 'node'].map((role) =>
    sometimes(`work of a node with the role '${role}' is on its way`, (system) =>
      system.inFlight('work').some(({ from }) => system.node(from).role === role),
    ),
  ),
  sometimes(
    'work is on its way while all nodes are passive',
    (system) => system.count('active') === 0 && !isOver(system),
  ),
];
