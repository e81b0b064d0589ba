import {
  always,
  eventually,
  everyStep,
  type NodeId,
  type NodeView,
  never,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';

/** The command of an application to a node of any election protocol. */
export interface Command {
  readonly type: 'elect';
}

export const commands: Readonly<Record<Command['type'], Protocol['commands'][string]>> = {
  elect: { kind: 'optional', meaning: 'the application asks this node to start an election', when: () => true },
};

/** The problem (Le Lann 1977): one leader, known to all; a node tagged `decided` has a `leader` in its context. */
export const decision: readonly Property[] = [
  always('at most one node is the leader', (system) => system.count('leader') <= 1),
  always('all nodes that know a leader know the same one', (system) => system.distinct('decided', 'leader').length <= 1),
  always('a node that is the leader knows itself as the leader', (system) =>
    system.tagged('leader').every((node) => node.context.leader === node.id),
  ),
  eventually('every live node knows the one leader', (system) => system.count('leader') === 1 && system.count('decided') === system.live),
  everyStep(
    'a node that knows the leader does not forget it',
    ({ before, after }) => !before.tags.has('decided') || (after.tags.has('decided') && after.context.leader === before.context.leader),
  ),
  everyStep('a leader stays the leader', ({ before, after }) => !before.tags.has('leader') || after.tags.has('leader')),
  everyStep(
    'a node that has sent a message waits until it knows the leader',
    ({ after, sent }) => sent.length === 0 || after.tags.has('waiting') || after.tags.has('decided'),
  ),
  everyStep(
    'a node that waits keeps waiting until it knows the leader',
    ({ before, after }) => !before.tags.has('waiting') || after.tags.has('waiting') || after.tags.has('decided'),
  ),
  sometimes('a node is the leader', (system) => system.count('leader') === 1),
];

/** For protocols whose leader learns that all nodes know it: then it is tagged `terminated`. */
export const termination: readonly Property[] = [
  never(
    'a node has terminated while another one does not know the leader',
    (system) => system.count('terminated') > 0 && system.count('decided') < system.live,
  ),
  eventually('the node that announces the leader terminates', (system) => system.count('terminated') > 0),
];

export const properties: readonly Property[] = [...decision, ...termination];

const largest = new WeakMap<readonly NodeView[], NodeId>();

/** For protocols that elect the largest id of the network. */
export const largestLeads: Property = always('the leader has the largest id', (system) => {
  const { nodes } = system;
  const known =
    largest.get(nodes) ??
    nodes
      .map(({ id }) => id)
      .sort()
      .at(-1);
  if (known !== undefined) largest.set(nodes, known);
  return system.tagged('leader').every(({ id }) => id === known);
});
