import {
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, decision, largestLeads } from '../election.js';
import { type Message, machine } from './tree-wave.js';

export type { Command };

/** The receivers of the messages of this type that the step sends, and their ids. */
const sentIn = ({ sent }: NodeStep, type: Message['type']): string =>
  sent
    .flatMap(({ to, message }) =>
      message.type === type ? [`${to} ${'id' in message ? String(message.id) : ''}`] : [],
    )
    .join();

/** The neighbours of the node, without the one that the message of this step is from. */
const othersIn = ({ before, cause }: NodeStep): readonly NodeId[] =>
  (before.context.neighbours as readonly NodeId[]).filter(
    (id) => cause.kind !== 'message' || id !== cause.from,
  ); // as the machine's own type says

const wakesIn = ({ before, after }: NodeStep): boolean =>
  before.value === 'asleep' && after.value !== 'asleep';

/** Whether the node has not sent its echo. */
const isExpecting = ({ value }: NodeView): boolean => value === 'asleep' || value === 'awake';

const waves: readonly Property[] = [
  everyStep(
    'a node that wakes explores all edges except the one that the message came over, and no node explores again',
    (step) => {
      const due = wakesIn(step) ? othersIn(step).map((id) => `${id} `) : [];
      return sentIn(step, 'explorer') === due.join();
    },
  ),
  everyStep(
    'when only one neighbour is left, a node sends it one echo, with the largest id that it knows',
    (step) => {
      const { pending, max } = step.after.context;
      const [last, ...others] = pending as readonly NodeId[]; // as the machine's own type says
      const isDue =
        last !== undefined &&
        others.length === 0 &&
        isExpecting(step.before) &&
        !isExpecting(step.after);
      return sentIn(step, 'echo') === (isDue ? `${last} ${String(max)}` : '');
    },
  ),
  everyStep(
    'a node that learns the leader tells exactly all neighbours except the sender',
    (step) => {
      const learns = step.after.tags.has('decided') && !step.before.tags.has('decided');
      return (
        sentIn(step, 'elected') ===
        (learns
          ? othersIn(step).map((id) => `${id} ${String(step.after.context.leader)}`)
          : []
        ).join()
      );
    },
  ),
];

/** B9: election on a tree by waves. */
export const treeWave = defineProtocol<Message, Command>({
  id: 'B9',
  name: 'tree-wave',
  title: 'Tree election by waves',
  problem: 'election',
  citation: 'F. Mattern: Verteilte Basisalgorithmen. Informatik-Fachberichte 226, Springer, 1989',
  topology: needs.tree,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, neighbours: topology.successors(self) }) },
  },
  messages: {
    explorer: { meaning: 'an election has started' },
    echo: { fields: ['id'], meaning: '`id` is the largest on the side of the sender' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...decision, largestLeads, ...waves],
  cost: {
    per: 'election',
    formula: '3n − 4 + k',
    remark: 'where k nodes start',
    messages: (n) => ({ least: 3 * (n - 1), most: 4 * (n - 1) }),
  },
});
