import {
  always,
  eventually,
  everyStep,
  increases,
  type NodeId,
  type NodeStep,
  type NodeView,
  never,
  type Property,
  type Protocol,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** The command of an application to a node of any election protocol. */
export interface Command {
  readonly type: 'elect';
}

export const commands: Readonly<Record<Command['type'], Protocol['commands'][string]>> = {
  elect: {
    kind: 'optional',
    meaning: 'the application asks this node to start an election',
    when: () => true,
  },
};

/**
 * The election of which a node knows: its term, which only elections that are held again have (see
 * `repeated`).
 */
export const termOf = ({ context }: NodeView): number => Number(context.term ?? 0);

const isLater = ({ before, after }: NodeStep): boolean => termOf(after) > termOf(before);

/** Whether `holds` for the nodes with this tag in each term by themselves. */
function inEachTerm(
  system: SystemView,
  tag: string,
  holds: (nodes: readonly NodeView[]) => boolean,
): boolean {
  const nodes = system.tagged(tag);
  return [...new Set(nodes.map(termOf))].every((term) =>
    holds(nodes.filter((node) => termOf(node) === term)),
  );
}

const leadersOf = (nodes: readonly NodeView[]): number =>
  new Set(nodes.map(({ context }) => context.leader)).size;

/** Whether all nodes know a leader of one term. */
const isSettled = (system: SystemView): boolean =>
  system.count('decided') === system.live && system.distinct('decided', 'term').length === 1;

/** The nodes whose term is before `term`, or that do not know its leader. */
const isMissing = (term: number, node: NodeView): boolean =>
  !node.crashed && (termOf(node) < term || (termOf(node) === term && !node.tags.has('decided')));

/**
 * The problem (Le Lann 1977): one leader, known to all; a node tagged `decided` has a `leader` in
 * its context, and knows that the election is over. Where elections are held again, a node has a
 * `term` in its context, and all this is said of each term; {@link inTerms} names it so.
 */
export const decision: readonly Property[] = [
  always(
    'at most one node is the leader',
    (system) =>
      system.count('leader') <= 1 || inEachTerm(system, 'leader', ({ length }) => length <= 1),
  ),
  always(
    'all nodes that know a leader know the same one',
    (system) =>
      system.distinct('decided', 'leader').length <= 1 ||
      inEachTerm(system, 'decided', (nodes) => leadersOf(nodes) <= 1),
  ),
  always('a node that is the leader knows itself as the leader', (system) =>
    system.tagged('leader').every((node) => node.context.leader === node.id),
  ),
  eventually(
    'every live node knows the one leader',
    (system) => system.count('leader') === 1 && isSettled(system),
  ),
  everyStep(
    'a node that knows the leader does not forget it',
    (step) =>
      !step.before.tags.has('decided') ||
      isLater(step) ||
      (step.after.tags.has('decided') && step.after.context.leader === step.before.context.leader),
  ),
  everyStep(
    'a leader stays the leader',
    (step) => !step.before.tags.has('leader') || isLater(step) || step.after.tags.has('leader'),
  ),
  everyStep(
    'a node that has sent a message waits until it knows the leader',
    ({ after, sent }) =>
      sent.length === 0 || after.tags.has('waiting') || after.tags.has('decided'),
  ),
  everyStep(
    'a node that waits keeps waiting until it knows the leader',
    (step) =>
      !step.before.tags.has('waiting') ||
      isLater(step) ||
      step.after.tags.has('waiting') ||
      step.after.tags.has('decided'),
  ),
  sometimes('a node is the leader', (system) => system.count('leader') === 1),
];

/** For protocols whose leader learns that all nodes know it: then it is tagged `terminated`. */
export const termination: readonly Property[] = [
  never('a node has terminated while another one does not know the leader', (system) => {
    if (system.count('terminated') === 0 || isSettled(system)) return false;
    const last = Math.max(
      ...system.distinct('terminated', 'term').map((term) => Number(term ?? 0)),
    );
    return system.nodes.some((node) => isMissing(last, node));
  }),
  eventually(
    'the node that announces the leader terminates',
    (system) => system.count('terminated') > 0,
  ),
];

/** For elections that are held again, in addition. */
export const terms: readonly Property[] = [
  everyStep(
    'the term of a node only grows',
    ({ before, after }) => termOf(after) >= termOf(before),
  ),
  increases('each leader has a larger term than every leader before it', (node) =>
    node.tags.has('leader') ? termOf(node) : undefined,
  ),
  always(
    'when no message is in flight and no node waits, all nodes know the leader of the latest term, or none does',
    (system) =>
      system.count('waiting') > 0 ||
      system.count('decided') === 0 ||
      isSettled(system) ||
      system.inFlight().length > 0,
  ),
];

/** The sentences that say something else where elections are held again. */
const sentences: Readonly<Record<string, string>> = {
  'at most one node is the leader': 'at most one node is the leader of each term',
  'all nodes that know a leader know the same one':
    'all nodes that know the leader of a term know the same one',
  'every live node knows the one leader': 'every live node knows the one leader of the latest term',
  'a node that knows the leader does not forget it':
    'a node forgets the leader only for a later term',
  'a leader stays the leader': 'a leader stays the leader until it knows of a later term',
  'a node that waits keeps waiting until it knows the leader':
    'a node that waits keeps waiting until it knows the leader, or a later term',
  'a node has terminated while another one does not know the leader':
    'a node has terminated while another one does not know the leader of its term, or a later term',
};

/** A property of this file, for elections that are held again; undefined for another property. */
export function inTerms(property: Property): Property | undefined {
  const { name } = property;
  return ofElection.has(name) ? { ...property, name: sentences[name] ?? name } : undefined;
}

export const properties: readonly Property[] = [...decision, ...termination];

const largestIds = new WeakMap<readonly NodeView[], NodeId>();

/** For protocols that elect the largest id of the network. */
export const largestLeads: Property = always('the leader has the largest id', (system) => {
  const { nodes } = system;
  const known =
    largestIds.get(nodes) ??
    nodes
      .map(({ id }) => id)
      .sort()
      .at(-1);
  if (known !== undefined) largestIds.set(nodes, known);
  return system.tagged('leader').every(({ id }) => id === known);
});

const ofElection: ReadonlySet<string> = new Set(
  [...properties, largestLeads].map(({ name }) => name),
);

/**
 * Whether the elections of this protocol have terms, which its messages carry: they can be held
 * again.
 */
export const hasTerms = ({ messages, properties }: Protocol): boolean =>
  Object.values(messages).some(({ fields }) => fields?.includes('term')) ||
  properties.some(({ name }) => terms.some((property) => property.name === name));

/** What a node of a two-way ring knows at the start. */
export interface Sides {
  readonly self: NodeId;
  readonly left: NodeId;
  readonly right: NodeId;
}

export const sidesOf = (self: NodeId, topology: Topology) =>
  ({
    self,
    left: topology.at(self, 'left') ?? self,
    right: topology.at(self, 'right') ?? self,
  }) satisfies Sides;

/** The nodes of a two-way ring in the order in which each is on the right of the one before it. */
export function around(ring: Topology): readonly NodeId[] {
  const order: NodeId[] = [];
  let [at] = ring.nodes;
  while (at !== undefined && order.length < ring.nodes.length) {
    order.push(at);
    at = ring.at(at, 'right');
  }
  return order;
}
