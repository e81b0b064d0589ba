import type { Json, Message, NodeId } from '@conclave/core/protocol';
import type { Delivery, View } from './member.js';

/** What a node of a group tells, as far as the facade listens. */
type Told =
  | ({ readonly type: 'deliver' } & Delivery)
  | ({ readonly type: 'view'; readonly state?: Json } & View)
  | { readonly type: 'snapshot-wanted' | 'left' | 'excluded' };

const types: readonly string[] = [
  'deliver',
  'view',
  'snapshot-wanted',
  'left',
  'excluded',
] satisfies readonly Told['type'][];

/** Undefined for another notification of the protocol. */
export const toldBy = (notification: Message): Told | undefined =>
  // as the protocols of groups tell it
  types.includes(notification.type) ? (notification as Told) : undefined;

/** A delivery without the rest of its notification. */
export const deliveryIn = ({
  from,
  sequence,
  data,
  view,
}: { readonly from: NodeId } & Delivery): Delivery => ({
  from,
  sequence,
  data,
  ...(view === undefined ? {} : { view }),
});
