/**
 * The history variable: the views that a node has installed, what it has delivered in each, and
 * what it has multicast. Only properties see it.
 */
import type { Json, NodeId, NodeStep, NodeView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

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
