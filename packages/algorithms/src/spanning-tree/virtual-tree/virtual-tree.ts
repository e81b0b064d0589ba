/**
 * A virtual tree at system start: a node asks a registry for addresses, connects to these nodes,
 * and takes the one with the smallest level as its parent; when it loses its parent, it chooses
 * again. The subtree below it is dissolved first, by a diffusing computation (E. W. Dijkstra, C. S.
 * Scholten: Termination Detection for Diffusing Computations, IPL 11:1, 1980), so there is never a
 * cycle. Reliable channels, FIFO. Rules VT1–VT10: README.md
 */

import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import { byId, entriesById, ofNode } from '../../by-node.js';
import { type OptionSchemas, whole } from '../../options.js';

export interface Options {
  /** How many addresses of members the registry tells a newcomer. Default 2. */
  readonly addresses?: number;
}

export const virtualTreeOptions: OptionSchemas<Options> = {
  addresses: whole(1, 'how many addresses of members a newcomer gets'),
};

// Commands, messages, context, actions and guards of a node: rules VT1–VT10.

/**
 * What the application tells a node. A node that has left does not come back; a restarted one takes
 * a new id.
 */
export type Command = { readonly type: 'join' } | { readonly type: 'leave' };

export type Message =
  | { readonly type: 'register' }
  | { readonly type: 'addresses'; readonly ids: readonly NodeId[] }
  | { readonly type: 'be-root' }
  | { readonly type: 'connect' }
  | { readonly type: 'level'; readonly level: number | null }
  | { readonly type: 'lost' }
  | { readonly type: 'noted'; readonly level: number | null }
  | { readonly type: 'closed' };

interface Input {
  readonly registry: NodeId;
}

interface Context extends Input {
  /**
   * The level of each node to which there is a connection, as far as known; null: it has none, or
   * it is not known.
   */
  readonly neighbours: Readonly<Record<NodeId, number | null>>;
  readonly level: number | null;
  readonly parent: NodeId | null;
  /** The neighbours whose answer is awaited. */
  readonly pending: readonly NodeId[];
  /** The former parent, which waits until the subtree below this node is dissolved. */
  readonly owed: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const register = node.emit(({ context }) => send(context.registry, { type: 'register' }));

const without = (ids: readonly NodeId[], id: NodeId) => ids.filter((one) => one !== id);

type Levels = Context['neighbours'];

/** With another level of one neighbour, or a new one; in the order of their ids. */
const withLevel = (neighbours: Levels, id: NodeId, level: number | null): Levels =>
  Object.fromEntries(entriesById({ ...neighbours, [id]: level }));

/** In their order. */
const idsIn = (neighbours: Levels): readonly NodeId[] => Object.keys(neighbours).sort();

const connect = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'addresses');
  const added = event.ids.filter((id) => !Object.hasOwn(context.neighbours, id));
  for (const id of added) enqueue.emit(send(id, { type: 'connect' }));
  enqueue.assign({
    neighbours: added.reduce((known: Levels, id) => withLevel(known, id, null), context.neighbours),
    pending: added,
  });
});

const accept = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'connect');
  enqueue.assign({
    neighbours: withLevel(
      context.neighbours,
      event.from,
      ofNode(context.neighbours, event.from) ?? null,
    ),
  });
  enqueue.emit(send(event.from, { type: 'level', level: context.level }));
});

const refuse = node.emit(({ event }) => {
  assertEvent(event, 'connect');
  return send(event.from, { type: 'closed' });
});

const noteLevel = node.assign(({ context, event }) => {
  assertEvent(event, ['level', 'noted']);
  return { neighbours: withLevel(context.neighbours, event.from, event.level) };
});

const crossOff = node.assign(({ context, event }) => {
  assertEvent(event, ['level', 'noted']);
  return { pending: without(context.pending, event.from) };
});

const noteLoss = node.assign(({ context, event }) => {
  assertEvent(event, 'lost');
  return { neighbours: withLevel(context.neighbours, event.from, null) };
});

const answerLevel = node.emit(({ context, event }) => {
  assertEvent(event, 'lost');
  return send(event.from, { type: 'noted', level: context.level });
});

const forget = node.assign(({ context: { neighbours, pending, owed }, event }) => {
  assertEvent(event, 'closed');
  return {
    neighbours: Object.fromEntries(Object.entries(neighbours).filter(([id]) => id !== event.from)),
    pending: without(pending, event.from),
    owed: owed === event.from ? null : owed,
  };
});

const becomeRoot = node.assign({ level: 0, parent: null, pending: [] });

/** The neighbour with the smallest level, and among these with the smallest id. */
const closest = ({ neighbours }: Context): readonly [NodeId, number] | undefined =>
  Object.entries(neighbours)
    .flatMap(([id, level]): [NodeId, number][] => (level === null ? [] : [[id, level]]))
    .sort(([id, level], [other, otherLevel]) => level - otherLevel || byId(id, other))[0];

const choose = node.assign(({ context }) => {
  const [parent = null, level = -1] = closest(context) ?? [];
  return { parent, level: level + 1 };
});

const announce = node.enqueueActions(({ context: { neighbours, level }, enqueue }) => {
  for (const id of idsIn(neighbours)) enqueue.emit(send(id, { type: 'level', level }));
});

const dissolve = node.enqueueActions(({ context: { neighbours, parent }, enqueue }) => {
  const others = idsIn(neighbours).filter((id) => id !== parent);
  for (const id of others) enqueue.emit(send(id, { type: 'lost' }));
  enqueue.assign({ parent: null, level: null, pending: others });
});

const oweParent = node.assign(({ event }) => {
  assertEvent(event, 'lost');
  return { owed: event.from };
});

const settle = node.enqueueActions(({ context: { owed }, enqueue }) => {
  if (owed !== null) enqueue.emit(send(owed, { type: 'noted', level: null }));
  enqueue.assign({ owed: null });
});

const close = node.enqueueActions(({ context: { neighbours, registry }, enqueue }) => {
  enqueue.emit(send(registry, { type: 'closed' }));
  for (const id of idsIn(neighbours)) enqueue.emit(send(id, { type: 'closed' }));
  enqueue.assign({ neighbours: {}, parent: null, level: null });
});

const member = node.extend({
  actions: {
    register,
    connect,
    accept,
    refuse,
    noteLevel,
    crossOff,
    noteLoss,
    answerLevel,
    forget,
    becomeRoot,
    choose,
    announce,
    dissolve,
    oweParent,
    settle,
    close,
  },
  guards: {
    fromParent: ({ context, event }) => 'from' in event && event.from === context.parent,
    hasAllAnswers: ({ context }) => context.pending.length === 0,
    hasCandidate: ({ context }) => closest(context) !== undefined,
    isFirst: ({ event }) => {
      assertEvent(event, 'addresses');
      return event.ids.length === 0;
    },
  },
});

export const machine = member.createMachine({
  id: 'virtual-tree',
  context: ({ input }) => ({
    ...input,
    neighbours: {},
    level: null,
    parent: null,
    pending: [],
    owed: null,
  }),
  initial: 'absent',
  states: {
    absent: {
      on: { join: { target: 'present.registering', actions: 'register', description: 'VT1' } },
    },
    present: {
      initial: 'registering',
      on: {
        connect: { actions: 'accept', description: 'VT3' },
        level: { actions: 'noteLevel', description: 'VT4' },
        lost: { actions: ['noteLoss', 'answerLevel'], description: 'VT7' },
        noted: { actions: 'noteLevel', description: 'VT8: it is the root meanwhile' },
        closed: { actions: 'forget', description: 'VT9' },
        'be-root': {
          target: '.attached',
          actions: ['becomeRoot', 'settle', 'announce'],
          description: 'VT2',
        },
      },
      states: {
        registering: {
          tags: 'waiting',
          on: {
            addresses: [
              {
                guard: 'isFirst',
                target: 'attached',
                actions: ['becomeRoot', 'announce'],
                description: 'VT2',
              },
              { target: 'connecting', actions: 'connect', description: 'VT3' },
            ],
          },
        },
        connecting: {
          tags: 'waiting',
          always: [
            {
              guard: and(['hasAllAnswers', 'hasCandidate']),
              target: 'attached',
              actions: ['choose', 'announce'],
              description: 'VT5',
            },
          ],
          on: {
            level: { actions: ['noteLevel', 'crossOff'], description: 'VT4' },
            closed: { target: 'registering', actions: ['forget', 'register'], description: 'VT9' },
          },
        },
        dissolving: {
          tags: 'waiting',
          always: [
            {
              guard: and(['hasAllAnswers', 'hasCandidate']),
              target: 'attached',
              actions: ['settle', 'choose', 'announce'],
              description: 'VT8, VT5',
            },
            {
              guard: 'hasAllAnswers',
              target: 'registering',
              actions: ['settle', 'register'],
              description: 'VT8',
            },
          ],
          on: { noted: { actions: ['noteLevel', 'crossOff'], description: 'VT8' } },
        },
        attached: {
          tags: 'attached',
          on: {
            leave: { target: '#left', actions: 'close', description: 'VT10' },
            addresses: { description: 'VT2: it is the root meanwhile' },
            lost: [
              {
                guard: 'fromParent',
                target: 'dissolving',
                actions: ['noteLoss', 'oweParent', 'dissolve'],
                description: 'VT6',
              },
              { actions: ['noteLoss', 'answerLevel'], description: 'VT7' },
            ],
            closed: [
              {
                guard: 'fromParent',
                target: 'dissolving',
                actions: ['forget', 'dissolve'],
                description: 'VT6',
              },
              { actions: 'forget', description: 'VT9' },
            ],
          },
        },
      },
    },
    left: {
      id: 'left',
      on: {
        connect: { actions: 'refuse', description: 'VT10' },
        addresses: { description: 'VT10: it has left' },
        'be-root': { description: 'VT10: the registry will hear of it' },
        level: { description: 'VT10: it has left' },
        lost: { description: 'VT10: its closed is on the way' },
        noted: { description: 'VT10: it has left' },
        closed: { description: 'VT10: it has left' },
      },
    },
  },
});

// The registry: it tells newcomers the addresses of members, and appoints the root. Rules VT2, VT11
// and VT12.

interface RegistryInput {
  /** How many addresses a newcomer gets. */
  readonly addresses: number;
}

interface RegistryContext extends RegistryInput {
  /** In the order of their registration; the first is the root. */
  readonly members: readonly NodeId[];
}

const registry = setup({
  types: {} as {
    input: RegistryInput;
    context: RegistryContext;
    events: Received<Message>;
    emitted: Effect<Message>;
  },
});

/**
 * For the m-th newcomer, those whose number is a half, a quarter … of m: so the levels grow with
 * the logarithm of the number of nodes.
 */
function someOf({ members, addresses }: RegistryContext): readonly NodeId[] {
  const chosen = new Set<NodeId>();
  for (let place = members.length >> 1; chosen.size < addresses; place >>= 1) {
    for (const id of members.slice(place, place + 1)) chosen.add(id);
    if (place === 0) break;
  }
  return [...chosen];
}

const enrol = registry.enqueueActions(({ context, event, enqueue }) => {
  enqueue.emit(send(event.from, { type: 'addresses', ids: someOf(context) }));
  enqueue.assign({ members: [...context.members, event.from] });
});

const nameRoot = registry.emit(({ context, event }) =>
  send(event.from, {
    type: 'addresses',
    ids: context.members.slice(0, 1).filter((id) => id !== event.from),
  }),
);

const strike = registry.assign(({ context, event }) => ({
  members: context.members.filter((id) => id !== event.from),
}));

const appoint = registry.enqueueActions(({ context, enqueue }) => {
  for (const id of context.members.slice(0, 1)) enqueue.emit(send(id, { type: 'be-root' }));
});

export const registryMachine = registry
  .extend({
    actions: { enrol, nameRoot, strike, appoint },
    guards: {
      isMember: ({ context, event }) => {
        assertEvent(event, 'register');
        return context.members.includes(event.from);
      },
      wasRoot: ({ context, event }) => {
        assertEvent(event, 'closed');
        return context.members[0] === event.from;
      },
    },
  })
  .createMachine({
    id: 'registry',
    context: ({ input }) => ({ ...input, members: [] }),
    initial: 'open',
    states: {
      open: {
        on: {
          register: [
            { guard: 'isMember', actions: 'nameRoot', description: 'VT11' },
            { actions: 'enrol', description: 'VT2' },
          ],
          closed: [
            { guard: 'wasRoot', actions: ['strike', 'appoint'], description: 'VT12' },
            { actions: 'strike', description: 'VT12' },
          ],
        },
      },
    },
  });
