/**
 * What each node has delivered and installed, and the properties of Chockler, Keidar and Vitenberg
 * (2001) that hold of it. They judge nodes that have not crashed, since their last start.
 */
import {
  always,
  alwaysEventually,
  type Json,
  leadsTo,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { stepProperties, viewProperties } from './step-properties.js';

// The history variable: the views that a node has installed, what it has delivered in each, and what
// it has multicast. Only properties see it.

/** A message of the application, as it was delivered. */
export type Delivered = { readonly from: NodeId; readonly sequence: number; readonly data: Json };

/** A view, and what was delivered in it, in this order. */
export type Installed = {
  readonly number: number;
  readonly members: readonly NodeId[];
  readonly delivered: readonly Delivered[];
};

/**
 * The views of a node from when it became a member until it left or crashed; `start`: how often it
 * had started.
 */
export type Stay = { readonly start: number; readonly views: readonly Installed[] };

/**
 * A message that a node multicast in the view with this number; `isBlocked`: during a flush.
 * `stay`: in which of its stays.
 */
export type Made = {
  readonly sequence: number;
  readonly data: Json;
  readonly view: number;
  readonly isBlocked: boolean;
  readonly stay: number;
};

export type MembershipHistory = { readonly stays: readonly Stay[]; readonly made: readonly Made[] };

type Told = Delivered & {
  readonly type: string;
  readonly number: number;
  readonly members: readonly NodeId[];
};

const startsOf = ({ context }: NodeView): number => Number(context.starts);

function withDelivery(
  stays: readonly Stay[],
  { from, sequence, data }: Delivered,
): readonly Stay[] {
  const [stay, view] = [stays.at(-1), stays.at(-1)?.views.at(-1)];
  if (!stay || !view) return stays;
  const now = { ...view, delivered: [...view.delivered, { from, sequence, data }] };
  return [...stays.slice(0, -1), { ...stay, views: [...stay.views.slice(0, -1), now] }];
}

function withView(
  stays: readonly Stay[],
  { number, members }: Told,
  { before, after }: NodeStep,
): readonly Stay[] {
  const view = { number, members, delivered: [] };
  const stay = before.tags.has('member') ? stays.at(-1) : undefined;
  return stay
    ? [...stays.slice(0, -1), { ...stay, views: [...stay.views, view] }]
    : [...stays, { start: startsOf(after), views: [view] }];
}

/** What the application was told, as a list of the notifications of this protocol. */
// only fields of its type are read
const toldIn = ({ notified }: NodeStep): readonly Told[] => notified as readonly Told[];

export const membershipHistory = (founders?: number) => ({
  initial: (self: NodeId, { nodes }: Topology): MembershipHistory => {
    const members = [...nodes].sort().slice(0, founders);
    return {
      stays: members.includes(self)
        ? [{ start: 1, views: [{ number: 1, members, delivered: [] }] }]
        : [],
      made: [],
    };
  },
  after: ({ stays: known, made }: MembershipHistory, step: NodeStep): MembershipHistory => {
    let stays = known;
    for (const told of toldIn(step)) {
      if (told.type === 'deliver') stays = withDelivery(stays, told);
      if (told.type === 'view') stays = withView(stays, told, step);
    }
    const { before, after, cause } = step;
    if (cause.kind !== 'command' || cause.command.type !== 'multicast') return { stays, made };
    const { data }: { readonly data?: Json } = Object(cause.command);
    const one = {
      sequence: Number(after.context.sequence),
      data: data ?? null,
      view: Number(before.context.number),
    };
    return {
      stays,
      made: [...made, { ...one, isBlocked: before.tags.has('waiting'), stay: known.length }],
    };
  },
});

const historyOf = ({ history }: NodeView): MembershipHistory =>
  // of this protocol; an embedded node has none
  (history as MembershipHistory | undefined) ?? { stays: [], made: [] };

/** What a node has multicast. */
export const madeBy = (node: NodeView): readonly Made[] => historyOf(node).made;

/** The stays of a node since its last start. */
export const staysOf = (node: NodeView): readonly Stay[] =>
  historyOf(node).stays.filter(({ start }) => start === startsOf(node));

/** How often a node has become a member. */
export const staysSoFar = (node: NodeView): number => historyOf(node).stays.length;

const membersOf = ({ context }: NodeView): readonly NodeId[] =>
  [context.members].flat().filter((id) => typeof id === 'string');

const liveNodes = ({ nodes }: SystemView): readonly NodeView[] =>
  nodes.filter(({ crashed }) => !crashed);

const allStays = (system: SystemView): readonly Stay[] => liveNodes(system).flatMap(staysOf);

const allViews = (system: SystemView): readonly Installed[] =>
  allStays(system).flatMap(({ views }) => views);

/** The view that a member has now. */
const currentOf = (node: NodeView): Installed | undefined => staysOf(node).at(-1)?.views.at(-1);

const textOf = ({ from, sequence }: Pick<Delivered, 'from' | 'sequence'>): string =>
  `${from} ${sequence}`;

const asSet = ({ delivered }: Installed): string => delivered.map(textOf).sort().join();

/** Each view with the next one of the same stay. */
const pairs = ({ views }: Stay): readonly (readonly [Installed, Installed])[] =>
  views.slice(1).map((next, index) => [views[index] ?? next, next] as const);

/** Whether `isSame` of all items with the same key. */
function agree<T>(
  items: readonly T[],
  key: (item: T) => unknown,
  value: (item: T) => string,
): boolean {
  const known = new Map<unknown, string>();
  return items.every((item) => {
    const first = known.get(key(item)) ?? value(item);
    known.set(key(item), first);
    return first === value(item);
  });
}

const madeOf = (system: SystemView, message: Delivered) =>
  madeBy(system.node(message.from)).find(({ sequence }) => sequence === message.sequence);

const isContiguous = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1);

/** Total order of what any two members deliver in the same view. */
export const totalOrder: Property = always(
  'members that deliver the same messages in a view deliver them in the same order',
  (system) => {
    const views = allViews(system);
    return views.every((one, index) =>
      views.slice(index + 1).every((other) => {
        if (one.number !== other.number) return true;
        const [first, second] = [one.delivered.map(textOf), other.delivered.map(textOf)];
        const common = first.filter((message) => second.includes(message));
        return second.filter((message) => first.includes(message)).join() === common.join();
      }),
    );
  },
);

const safety: readonly Property[] = [
  always('each view that a node installs includes it', (system) =>
    liveNodes(system).every((node) =>
      staysOf(node).every(({ views }) => views.every(({ members }) => members.includes(node.id))),
    ),
  ),
  always('a member installs view after view without a gap', (system) =>
    allStays(system).every(({ views }) => isContiguous(views.map(({ number }) => number))),
  ),
  always('a node that becomes a member again installs a later view than before', (system) =>
    liveNodes(system).every((node) => {
      const numbers = staysOf(node).flatMap(({ views }) => views.map(({ number }) => number));
      return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
    }),
  ),
  always('views with the same number have the same members', (system) =>
    agree(
      allViews(system),
      ({ number }) => number,
      ({ members }) => members.join(),
    ),
  ),
  always(
    'virtual synchrony: members that install two views in a row have delivered the same messages in the first',
    (system) =>
      agree(
        allStays(system).flatMap(pairs),
        ([{ number }]) => number,
        ([view]) => asSet(view),
      ),
  ),
  always(
    'a message is delivered in the view in which it was sent, or in the next one if it was sent during a flush',
    (system) =>
      allViews(system).every(({ number, delivered }) =>
        delivered.every((message) => {
          const made = madeOf(system, message);
          return made !== undefined && number === made.view + (made.isBlocked ? 1 : 0);
        }),
      ),
  ),
  always('every delivered message was multicast', (system) =>
    allViews(system).every(({ delivered }) =>
      delivered.every(
        (message) => JSON.stringify(madeOf(system, message)?.data) === JSON.stringify(message.data),
      ),
    ),
  ),
  always('no member delivers a message twice', (system) =>
    allStays(system).every(({ views }) => {
      const all = views.flatMap(({ delivered }) => delivered.map(textOf));
      return new Set(all).size === all.length;
    }),
  ),
  always(
    'messages of one sender are delivered in the order in which it multicast them, without a gap while it stays',
    (system) =>
      allStays(system).every(({ views }) => {
        const all = views.flatMap(({ delivered }) => delivered);
        const senders = [
          ...new Set(all.map((message) => `${message.from} ${madeOf(system, message)?.stay}`)),
        ];
        return senders.every((sender) =>
          isContiguous(
            all
              .filter((message) => `${message.from} ${madeOf(system, message)?.stay}` === sender)
              .map(({ sequence }) => sequence),
          ),
        );
      }),
  ),
];

const liveness: readonly Property[] = [
  alwaysEventually(
    'all live members have the same view, of exactly the live members, and have delivered the same messages in it',
    (system) => {
      const members = system.tagged('member');
      const ids = members.map(({ id }) => id).sort();
      const views = members.map(currentOf);
      return members.every((node, index) => {
        const view = views[index];
        return (
          view !== undefined &&
          membersOf(node).join() === ids.join() &&
          view.number === views[0]?.number &&
          asSet(view) === asSet(views[0])
        );
      });
    },
  ),
  alwaysEventually(
    'each member has delivered what it has multicast since it became one',
    (system) =>
      system.tagged('member').every((node) => {
        const stay = staysOf(node).at(-1);
        const delivered = (stay?.views ?? []).flatMap((view) =>
          view.delivered.filter(({ from }) => from === node.id).map(({ sequence }) => sequence),
        );
        return madeBy(node).every(
          (made) => made.stay !== staysSoFar(node) || delivered.includes(made.sequence),
        );
      }),
  ),
  alwaysEventually(
    'no node tries to join while there is a member',
    (system) => system.count('joining') === 0 || system.count('member') === 0,
    { vacuous: 'no node may ask to join' },
  ),
  leadsTo(
    'a member that wants to leave eventually leaves',
    ({ id, tags, context }) => tags.has('member') && [context.leaving].flat().includes(id),
    ({ tags }) => !tags.has('member'),
    { vacuous: 'no member may want to leave' },
  ),
];

export const properties: readonly Property[] = [
  ...safety,
  ...liveness,
  ...stepProperties,
  ...viewProperties,
  sometimes('a member has delivered a message, and has a later view', (system) =>
    allStays(system)
      .flatMap(pairs)
      .some(([{ delivered }]) => delivered.length > 0),
  ),
];
