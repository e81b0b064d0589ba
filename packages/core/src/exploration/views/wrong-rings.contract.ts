/** Elections on one-way rings that are right on small rings, and wrong on larger ones or in other orders. */
import { setup } from 'xstate';
import { defineProtocol } from '../../protocol/define-protocol.js';
import { type Effect, type NodeId, type Received, send } from '../../protocol/node.js';
import { always, type Property, type SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import * as needs from '../../topology/needs.js';

type Command = { type: 'elect' };
type Candidate = { type: 'candidate'; id: NodeId; hops: number };

interface Input {
  readonly self: NodeId;
  readonly next: NodeId;
  readonly size: number;
  /** Leads without an election. */
  readonly isFirst: boolean;
}

export const largest = 'the leader has the largest id';
export const one = 'at most one node is the leader';

const node = setup({
  types: {} as {
    input: Input;
    context: Input & { readonly heard: readonly NodeId[] };
    events: Command | Received<Candidate>;
    emitted: Effect<Candidate>;
  },
});

interface Ring {
  /** Whether an id passes a node that is not its own. */
  readonly passes: (context: Input, event: Received<Candidate>) => boolean;
  /** The number of hops of a message that has made so many before. */
  readonly count?: (hops: number) => number;
  readonly isFirst?: (self: NodeId, nodes: readonly NodeId[]) => boolean;
  /** What a node keeps of an id that it receives. */
  readonly keeps?: (heard: readonly NodeId[], id: NodeId) => readonly NodeId[];
}

const election = ({
  passes,
  count = (hops) => hops + 1,
  isFirst = () => false,
  keeps = () => [],
}: Ring): Protocol => {
  const stand = node.emit(({ context }) =>
    send(context.next, { type: 'candidate', id: context.self, hops: 1 }),
  );
  const relay = node.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'candidate') return;
    enqueue.assign({ heard: keeps(context.heard, event.id) });
    if (!passes(context, event)) return;
    enqueue.emit(send(context.next, { ...plain(event), hops: count(event.hops) }));
  });
  const machine = node.createMachine({
    context: ({ input }) => ({ ...input, heard: [] }),
    initial: 'idle',
    states: {
      idle: {
        always: { guard: ({ context }) => context.isFirst, target: 'leader' },
        on: { elect: { target: 'candidate', actions: stand }, candidate: { actions: relay } },
      },
      candidate: {
        on: {
          candidate: [
            {
              guard: ({ context, event }) => event.id === context.self,
              target: 'leader',
            },
            { actions: relay },
          ],
        },
      },
      leader: { tags: 'leader', on: { candidate: { actions: relay } } },
    },
  });
  return defineProtocol({
    name: 'ring-election',
    title: 'An election on a ring',
    problem: 'election',
    citation: 'none',
    channels: { order: 'any', loss: false, duplication: false },
    commands: {
      elect: { kind: 'optional', meaning: 'stand', when: ({ value }) => value === 'idle' },
    },
    topology: needs.oneWayRing,
    roles: {
      node: {
        machine,
        input: (self, ring) => ({
          self,
          next: ring.at(self, 'next') ?? self,
          size: ring.nodes.length,
          isFirst: isFirst(self, ring.nodes),
        }),
      },
    },
    messages: { candidate: { fields: ['id', 'hops'], meaning: 'I stand' } },
    properties: [
      always(one, (system) => system.count('leader') <= 1),
      always(largest, (system) =>
        system.tagged('leader').every(({ id }) => system.nodes.every((other) => other.id <= id)),
      ),
    ],
  });
};

const plain = ({ type, id }: Candidate) => ({ type, id });

type Passing = Ring['passes'];
const isLarger: Passing = ({ self }, { id }) => id > self;
const orIf =
  (also: Passing): Passing =>
  (context, event) =>
    isLarger(context, event) || also(context, event);

/** How far the first letters of two names are apart. */
const distance = (one: NodeId, other: NodeId): number =>
  (one.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);

/** Without a mistake. */
export const rightRing: Protocol = election({ passes: isLarger });

/** The same with a guard that a ring with longer names would show. Only its source is of interest. */
export const longNames: Protocol = {
  ...rightRing,
  roles: Object.fromEntries(
    Object.entries(rightRing.roles).map(([role, { machine, input }]) => [
      role,
      {
        input,
        machine: machine.provide({
          guards: {
            isLong: ({ context }: { context: Input }) => context.self.length > 40,
          },
        } as Parameters<typeof machine.provide>[0]), // nothing refers to it
      },
    ]),
  ),
};

/** The nodes keep lists of nodes, which views of rings cannot show. */
export const keepingLists: Protocol = election({
  passes: isLarger,
  keeps: (heard, id) => (heard.includes(id) ? heard : [...heard, id]),
});

/** A step fails, but only on rings of 7 nodes or more, or with other names. */
export const failsLater: Protocol = election({
  passes: (context, event) => {
    if (distance(event.id, context.self) === 6) throw new Error('it is too large');
    return isLarger(context, event);
  },
});

/** Properties that views of two nodes do not decide. */
export const wideOnRings: readonly Property[] = Object.entries<(system: SystemView) => boolean>({
  'at most 4 nodes lead or stand': ({ nodes }) =>
    nodes.filter(({ value }) => value !== 'idle').length < 5,
  'the node k does not stand': ({ nodes }) =>
    nodes.every(({ id, value }) => id !== 'k' || value === 'idle'),
  'there are fewer than 12 nodes': ({ nodes }) => nodes.length < 12,
  'at most 4 ids are on their way': (system) => system.inFlight('candidate').length < 5,
}).map(([name, holds]) => always(name, (system) => holds(system) && system.count('leader') <= 1));

/**
 * By what is wrong, each with a smallest ring that shows it, where the first two nodes stand.
 */
export const wrongRings: Readonly<Record<string, readonly [Protocol, readonly NodeId[]]>> = {
  'an id passes a larger one after 5 hops': [
    election({ passes: orIf((_, { hops }) => hops > 5) }),
    ['f', 'a', 'b', 'c', 'd', 'e', 'g'],
  ],
  'hops are counted modulo 6, and an id with none passes': [
    election({ passes: orIf((_, { hops }) => hops === 0), count: (hops) => (hops + 1) % 6 }),
    ['f', 'a', 'b', 'c', 'd', 'e', 'g'],
  ],
  'an id passes between a smaller and a larger node': [
    election({ passes: orIf(({ next }, { from }) => from < next) }),
    ['b', 'a', 'c'],
  ],
  'an id passes a node that is 6 names behind it': [
    election({ passes: orIf(({ self }, { id }) => distance(self, id) === 6) }),
    ['c', 'a', 'b', 'i'],
  ],
  'an id passes the node g': [
    election({ passes: orIf(({ self }) => self === 'g') }),
    ['f', 'a', 'b', 'c', 'd', 'e', 'g'],
  ],
  'an id passes where there are 7 nodes': [
    election({ passes: orIf(({ size }) => size === 7) }),
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  ],
  'a second leader from 7 nodes on': [
    election({
      passes: isLarger,
      isFirst: (self, nodes) => nodes.length > 6 && self === [...nodes].sort()[0],
    }),
    ['g', 'a', 'b', 'c', 'd', 'e', 'f'],
  ],
};

/** Wrong, but only on rings that are too large to compare all steps of their nodes. */
export const wrongFarRings: Readonly<Record<string, Protocol>> = {
  'a leader where there are 12 nodes': election({
    passes: isLarger,
    isFirst: (self, nodes) => nodes.length === 12 && self === [...nodes].sort()[0],
  }),
  'an id passes after 42 hops': election({ passes: orIf((_, { hops }) => hops > 41) }),
  'an id passes where there are 12 nodes': election({ passes: orIf(({ size }) => size === 12) }),
  'an id passes the nodes behind s': election({ passes: orIf(({ self }) => self > 's') }),
};
