import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, nodesIn } from '../../mutual-exclusion/mutual-exclusion.js';
import { hasCycle } from '../../mutual-exclusion/token/building-blocks/edge-orientation.js';
import { enters } from '../../mutual-exclusion/token/building-blocks/token.js';
import { isCommanded, receiversIn, sameIds, senderIn, stepsOf } from '../../steps.js';
import { localExclusion, neighboursOf } from '../local-exclusion.js';
import { type Input, type Message, machine } from './dining-philosophers.js';

export type { Command };

// Properties of forks, precedence and each step by Chandy and Misra's hygienic solution (ACM TOPLAS
// 6:4, 1984).

const idsOf = ({ context }: NodeView, field: 'forks' | 'clean' | 'requested') =>
  context[field] as readonly NodeId[]; // as the machine's own types say
const entriesOf = ({ context }: NodeView) => Number(context.entries);
const { receivedIn, sentIn } = stepsOf<Message>();

const oneFork = always(
  'each fork is in one place: at one of its two nodes, or on its way',
  (system) => {
    const inTransit = new Map<string, number>();
    for (const { from, to } of system.inFlight('fork')) {
      const edge = [from, to].sort().join();
      inTransit.set(edge, (inTransit.get(edge) ?? 0) + 1);
    }
    return system.nodes.every((node) =>
      neighboursOf(node).every((id) => {
        const other = system.node(id);
        const here = idsOf(node, 'forks').includes(id) ? 1 : 0;
        const there = idsOf(other, 'forks').includes(node.id) ? 1 : 0;
        return here + there + (inTransit.get([node.id, id].sort().join()) ?? 0) === 1;
      }),
    );
  },
);

/**
 * The nodes over which `node` has precedence: those with whom it shares a clean fork that it has,
 * or a dirty fork that it lacks.
 */
function below(system: SystemView, node: NodeView): readonly NodeId[] {
  const coming = system.inFlight('fork').filter(({ to }) => to === node.id);
  return neighboursOf(node).filter((id) => {
    if (idsOf(node, 'forks').includes(id)) return idsOf(node, 'clean').includes(id);
    const other = system.node(id);
    const theirsIsDirty =
      idsOf(other, 'forks').includes(node.id) && !idsOf(other, 'clean').includes(node.id);
    return theirsIsDirty || coming.some(({ from }) => from === id);
  });
}

const precedenceIsAcyclic = always(
  'precedence has no cycle',
  (system) => !hasCycle(new Map(system.nodes.map((node) => [node.id, below(system, node)]))),
);

const requestsEachOnce = everyStep('a node requests each missing fork once', (step) => {
  const { before, after } = step;
  const missing = neighboursOf(after).filter((id) => !idsOf(after, 'forks').includes(id));
  if (isCommanded('acquire', step)) return sameIds(receiversIn(step, 'request'), missing);
  const isGiven = before.tags.has('waiting') ? receiversIn(step, 'fork') : [];
  return sameIds(receiversIn(step, 'request'), isGiven);
});

const answers = everyStep(
  'a node gives a dirty fork at a request, or at the end of a meal, and keeps a clean fork',
  (step) => {
    const { before, after } = step;
    const waiting = [...idsOf(before, 'requested'), ...senderIn(step, 'request')];
    const dirty = idsOf(before, 'forks').filter((id) => !idsOf(before, 'clean').includes(id));
    const isEating = before.tags.has('critical') && !isCommanded('release', step);
    const due = isEating ? [] : waiting.filter((id) => dirty.includes(id));
    const kept = waiting.filter((id) => !due.includes(id));
    return sameIds(receiversIn(step, 'fork'), due) && sameIds(idsOf(after, 'requested'), kept);
  },
);

const soils = everyStep('the forks of a node that eats or thinks are dirty', ({ after }) =>
  after.tags.has('waiting') ? true : idsOf(after, 'clean').length === 0,
);

const takes = everyStep('a fork that comes stays, and is clean unless the meal begins', (step) => {
  const { before, after } = step;
  const came = senderIn(step, 'fork');
  const given = receiversIn(step, 'fork');
  const forks = [...idsOf(before, 'forks'), ...came].filter((id) => !given.includes(id));
  const clean = [...idsOf(before, 'clean'), ...came];
  return (
    sameIds(forks, idsOf(after, 'forks')) &&
    (!after.tags.has('waiting') || sameIds(clean, idsOf(after, 'clean')))
  );
});

const counts = everyStep(
  'a fencing token is one more than the largest that came with a fork or was the node’s own, and each fork carries it',
  (step) => {
    const { before, after } = step;
    const known = Math.max(entriesOf(before), receivedIn(step, 'fork')?.entries ?? 0);
    return (
      entriesOf(after) === known + (enters(step) ? 1 : 0) &&
      sentIn(step, 'fork').every(({ message }) => message.entries === entriesOf(before))
    );
  },
);

const hygiene: readonly Property[] = [
  oneFork,
  precedenceIsAcyclic,
  requestsEachOnce,
  answers,
  soils,
  takes,
  counts,
];

const largestDegree = (topology: Topology): number =>
  Math.max(...topology.nodes.map((id) => topology.successors(id).length));

/**
 * Each fork is dirty and at the node that comes first among the network's nodes, so that precedence
 * has no cycle.
 */
const input = (self: NodeId, topology: Topology) => {
  const { nodes } = topology;
  const neighbours = topology.successors(self);
  return {
    neighbours,
    forks: neighbours.filter((id) => nodes.indexOf(self) < nodes.indexOf(id)),
  } satisfies Input;
};

/** A16: the hygienic solution to the dining philosophers. */
export const diningPhilosophers = defineProtocol<Message, Command>({
  id: 'A16',
  name: 'dining-philosophers',
  title: 'Dining philosophers',
  problem: 'local-exclusion',
  citation:
    'K. M. Chandy, J. Misra: The Drinking Philosophers Problem. ACM TOPLAS 6:4, 1984, 632–646, section 4',
  topology: needs.connected,
  channels: { order: 'any', loss: false, duplication: false },
  roles: { node: { machine, input } },
  messages: {
    request: { meaning: 'I request the fork between us; the request token of the paper' },
    fork: {
      fields: ['entries'],
      counters: ['entries'],
      meaning: 'the fork between us, clean; the largest fencing token that I know is `entries`',
    },
  },
  commands,
  properties: [
    ...localExclusion('no two neighbours are in their critical sections at once', (one, other) =>
      neighboursOf(one).includes(other.id),
    ),
    ...hygiene,
  ],
  fence: ({ context }: NodeView) => Number(context.entries),
  fenceCondition:
    'from one entry to the next among a node and its neighbours; others may enter at the same time',
  waitsFor: (node) => neighboursOf(node).filter((id) => !nodesIn('forks')(node).includes(id)),
  cost: {
    per: 'entry',
    formula: 'at most 2d',
    remark: 'where d is the largest number of neighbours',
    messages: (n, topology) => ({
      least: 0,
      most: 2 * (topology ? largestDegree(topology) : n - 1),
    }),
  },
});
