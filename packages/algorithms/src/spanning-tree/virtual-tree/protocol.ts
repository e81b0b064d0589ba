import {
  always,
  defineProtocol,
  everyStep,
  leadsTo,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import { receiversIn, senderIn, sendsNothingTwice } from '../../steps.js';
import {
  type Command,
  type Message,
  machine,
  type Options,
  registryMachine,
  virtualTreeOptions,
} from './virtual-tree.js';

// What holds in a virtual tree.

// What each step of a node of the virtual tree must do.

const levelsOf = ({ context }: NodeView): Readonly<Record<NodeId, unknown>> =>
  typeof context.neighbours === 'object' && context.neighbours !== null
    ? { ...context.neighbours }
    : {};
const pendingOf = ({ context }: NodeView): readonly unknown[] =>
  Array.isArray(context.pending) ? context.pending : [];
const placeOf = ({ value }: NodeView): unknown =>
  typeof value === 'object' ? value.present : value;
const isPresent = ({ value }: NodeView): boolean => typeof value === 'object';

const senderOf = (step: NodeStep, type: string): NodeId | undefined => senderIn(step, type)[0];

/** A property of the steps in which a present node receives a message of this type. */
const onReceipt = (
  type: string,
  name: string,
  allows: (step: NodeStep, from: NodeId) => boolean,
): Property =>
  everyStep(name, (step) => {
    const from = senderOf(step, type);
    return from === undefined || !isPresent(step.before) || allows(step, from);
  });

const stepProperties: readonly Property[] = [
  everyStep(
    'a node loses its place only when it leaves or loses its parent; then it awaits an answer of each other neighbour',
    (step) => {
      const { before, after, cause } = step;
      if (!before.tags.has('attached') || after.tags.has('attached'))
        return receiversIn(step, 'lost').length === 0;
      if (cause.kind === 'command') return after.value === 'left';
      const { parent } = before.context;
      const others = Object.keys(levelsOf(before)).filter((id) => id !== parent);
      return (
        [senderOf(step, 'lost'), senderOf(step, 'closed')].includes(
          typeof parent === 'string' ? parent : '',
        ) &&
        `${receiversIn(step, 'lost')}` === `${others}` &&
        `${pendingOf(after)}` === `${others}` &&
        (placeOf(after) === 'dissolving') === others.length > 0
      );
    },
  ),
  onReceipt('lost', 'a node answers lost at once, or after its subtree dissolves', (step, from) => {
    const isOwed = step.after.context.owed === from;
    return (
      `${receiversIn(step, 'noted')}` === (isOwed ? '' : from) &&
      (!isOwed || step.before.context.parent === from)
    );
  }),
  everyStep(
    'a node owes its former parent an answer until it has sent the answer, or the parent has left',
    (step) => {
      const { owed } = step.before.context;
      if (typeof owed !== 'string' || step.after.context.owed === owed) return true;
      return receiversIn(step, 'noted').includes(owed) || senderOf(step, 'closed') === owed;
    },
  ),
  everyStep(
    'a node dissolves its subtree until all have answered, or it is appointed root',
    (step) => {
      const { before, after } = step;
      if (placeOf(before) !== 'dissolving' || senderOf(step, 'be-root') !== undefined) return true;
      const from = senderOf(step, 'noted') ?? senderOf(step, 'closed');
      const left = pendingOf(before).filter((id) => id !== from);
      return left.length > 0
        ? placeOf(after) === 'dissolving' && `${pendingOf(after)}` === `${left}`
        : placeOf(after) !== 'dissolving';
    },
  ),
  ...['level', 'noted'].map((type) =>
    onReceipt(type, `a node remembers the level in a message ${type}`, ({ after, cause }, from) =>
      cause.kind === 'message' && 'level' in cause.message
        ? levelsOf(after)[from] === cause.message.level
        : false,
    ),
  ),
  onReceipt(
    'lost',
    'a node remembers that a neighbour has lost its place',
    ({ after }, from) => levelsOf(after)[from] === null,
  ),
  onReceipt(
    'closed',
    'a node forgets a neighbour that has left',
    ({ after }, from) => !Object.hasOwn(levelsOf(after), from),
  ),
  onReceipt(
    'be-root',
    'an appointed node is the root',
    ({ after }) => after.tags.has('attached') && after.context.level === 0,
  ),
];

const parentOf = (system: SystemView, { context }: NodeView): NodeView | undefined =>
  typeof context.parent === 'string' ? system.node(context.parent) : undefined;

/** Of the registry. */
const membersOf = ({ context }: NodeView): readonly unknown[] =>
  Array.isArray(context.members) ? context.members : [];

const isRoot = ({ tags, context }: NodeView): boolean =>
  tags.has('attached') && context.parent === null;

/** Whether following the parents from `node` ends. */
function ends(system: SystemView, node: NodeView): boolean {
  let steps = system.nodes.length;
  for (let at = parentOf(system, node); at; at = parentOf(system, at))
    if (steps-- === 0) return false;
  return true;
}

const neighboursOf = ({ context }: NodeView): readonly string[] =>
  typeof context.neighbours === 'object' && context.neighbours !== null
    ? Object.keys(context.neighbours)
    : [];

/**
 * Properties of pairs and of paths are for small systems: in a simulation of a thousand nodes they
 * take too long after each step.
 */
const few = (system: SystemView): readonly NodeView[] =>
  system.nodes.length <= 32 ? system.tagged('attached') : [];

const properties: readonly Property[] = [
  always('the parents form no cycle', (system) => few(system).every((node) => ends(system, node))),
  always('at most one node is the root', (system) => few(system).filter(isRoot).length <= 1),
  always('a node has a larger level than its parent, as long as the parent is attached', (system) =>
    few(system).every((node) => {
      const parent = parentOf(system, node);
      return (
        !parent?.tags.has('attached') || Number(node.context.level) > Number(parent.context.level)
      );
    }),
  ),
  always('a node has a connection to its parent', (system) =>
    few(system).every(
      (node) =>
        typeof node.context.parent !== 'string' || neighboursOf(node).includes(node.context.parent),
    ),
  ),
  always(
    'a node learns that its parent has lost its place: while the parent is not attached, lost or closed is on the way',
    (system) =>
      few(system).every((node) => {
        const parent = parentOf(system, node);
        if (!parent || parent.tags.has('attached')) return true;
        return system
          .inFlight()
          .some(
            ({ from, to, message }) =>
              from === parent.id && to === node.id && ['lost', 'closed'].includes(message.type),
          );
      }),
  ),
  leadsTo(
    'every node that waits for a place in the tree gets one',
    (node) => node.tags.has('waiting'),
    (node) => node.tags.has('attached'),
  ),
  everyStep(
    'a node gets a place with level 0, or below a node that has told its level',
    ({ before, after }) => {
      if (before.tags.has('attached') || !after.tags.has('attached')) return true;
      return after.context.parent === null
        ? after.context.level === 0
        : Number(after.context.level) > 0;
    },
  ),
  everyStep(
    'a node tells all its neighbours when it gets or loses its place',
    ({ before, after, sent }) => {
      const gets = !before.tags.has('attached') && after.tags.has('attached');
      const loses = before.tags.has('attached') && !after.tags.has('attached');
      const told = new Set(sent.map(({ to }) => to));
      const neighbours = Object.keys({
        ...((loses ? before : after).context.neighbours as object),
      });
      return (
        !(gets || loses) || neighbours.every((id) => told.has(id) || id === before.context.parent)
      );
    },
  ),
  sendsNothingTwice('a step sends each node at most one message of a type'),
  everyStep('a present node without a place waits', ({ after }) =>
    typeof after.value === 'string'
      ? !after.tags.has('waiting')
      : after.tags.has('waiting') !== after.tags.has('attached'),
  ),
  everyStep(
    'a node owes an answer only while it dissolves its subtree, and a node with a place awaits none',
    ({ after }) => {
      if (after.role !== 'node') return true;
      const place = typeof after.value === 'object' ? after.value.present : after.value;
      const awaits = Array.isArray(after.context.pending) && after.context.pending.length > 0;
      return (
        (after.context.owed === null || place === 'dissolving') &&
        !(awaits && after.tags.has('attached'))
      );
    },
  ),
  everyStep('a node that has left never returns, and answers only connect, by closed', (step) => {
    const { before, after, sent } = step;
    if (before.value !== 'left') return true;
    const answers = sent.map(({ to, message }) => `${to} ${message.type}`);
    const due = senderIn(step, 'connect').map((id) => `${id} closed`);
    return after.value === 'left' && answers.join() === due.join();
  }),
  everyStep(
    'the registry appoints the next member when the root leaves, and no other node',
    (step) => {
      if (step.before.role !== 'registry') return true;
      const [was, is] = [membersOf(step.before), membersOf(step.after)];
      const due = was.length > 0 && is[0] !== was[0] ? is.slice(0, 1) : [];
      return receiversIn(step, 'be-root').join() === due.join();
    },
  ),
  ...stepProperties,
  sometimes('a node has a place in the tree', (system) => system.count('attached') > 0),
];

export type { Command, Options };

/**
 * B13: a virtual tree at system start. The first node is the registry; the others join and leave.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example virtualTree({ addresses: 3 })
 */
export function virtualTree(options: Options = {}): Protocol<Command> {
  const { addresses = 2 } = validOptions('virtualTree', virtualTreeOptions, options);
  return defineProtocol<Message, Command>({
    id: 'B13',
    name: 'virtual-tree',
    title: 'Virtual tree at system start',
    problem: 'spanning-tree',
    citation:
      'Folklore of peer-to-peer networks; the dissolution is a diffusing computation: E. W. Dijkstra, C. S. Scholten: Termination Detection for Diffusing Computations. Information Processing Letters 11:1, 1980, 1–4',
    ...(addresses === 2 ? {} : { options: { addresses } }),
    topology: needs.complete,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      registry: { machine: registryMachine, input: () => ({ addresses }) },
      node: { machine, input: (_self, { nodes }) => ({ registry: nodes[0] ?? '' }) },
    },
    roleOf: (node, { nodes }) => (node === nodes[0] ? 'registry' : 'node'),
    messages: {
      register: { meaning: 'I want to take part; tell me addresses' },
      addresses: { fields: ['ids'], meaning: 'connect to these nodes; none: you are the root' },
      'be-root': { meaning: 'the root has left; you are the root' },
      connect: { meaning: 'I am your neighbour; what is your level?' },
      level: {
        fields: ['level'],
        counters: ['level?'],
        meaning: 'my level is `level`; null: I have no place in the tree',
      },
      lost: {
        meaning: 'I have lost my place; answer when no node of your subtree has a place through me',
      },
      noted: {
        fields: ['level'],
        counters: ['level?'],
        meaning:
          'I know that you have lost your place, and I have no place through you; my level is `level`',
      },
      closed: { meaning: 'I have left; the connection is closed' },
    },
    commands: {
      join: {
        kind: 'optional',
        meaning: 'the application starts this node',
        when: ({ value }) => value === 'absent',
      },
      leave: {
        kind: 'optional',
        meaning: 'this node ends; its connections are closed',
        when: ({ tags }) => tags.has('attached'),
      },
    },
    properties,
  });
}
