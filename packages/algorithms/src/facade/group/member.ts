import type { Json, NodeId } from '@conclave/core/protocol';
import type { Observable } from 'rxjs';
import type { WaitOptions } from '../waits.js';

/** A message that a member has delivered to its application. */
export interface Delivery {
  /** The member that multicast it. */
  readonly from: NodeId;
  /** 1, 2, 3 … for the messages of one sender. */
  readonly sequence: number;
  readonly data: Json;
  /** The number of the view in which it was delivered; undefined for a protocol without views. */
  readonly view?: number;
}

/** Who is in the group. */
export interface View {
  /** Larger in each later view. */
  readonly number: number;
  readonly members: readonly NodeId[];
}

/** A member of a group. Iterating it is {@link Group.deliveries} without options. */
export interface Group extends AsyncDisposable, AsyncIterable<Delivery> {
  readonly id: NodeId;
  /**
   * Sends `data` to the group, and waits until this member has delivered it itself: what the
   * protocol promises about delivered messages holds for it from then on. The messages of one
   * member are sent in the order of the calls; before this node is a member, none is.
   *
   * A message that was sent cannot be withdrawn: after a wait that ended early it is still
   * delivered. One whose turn has not come is not sent.
   *
   * @throws {ConclaveError} `aborted` (its `cause` is the signal's reason), `timed-out`, `closed`,
   * `lost` (this node was excluded; the others may have delivered the message or not); `bad-input`
   * for data that is not plain, or a `waitFor` that is no time.
   */
  multicast(data: Json, options?: WaitOptions): Promise<Delivery>;
  /**
   * Each later delivery: subscribe at once, to miss none. Completes when this node is a member no
   * longer.
   */
  readonly deliveries$: Observable<Delivery>;
  /**
   * Each delivery from the reader's first `next` on. A slow reader misses none: those that it has
   * not read are kept. Ends when this node is a member no longer and all are read, or when the
   * signal aborts.
   */
  deliveries(options?: { readonly signal?: AbortSignal }): AsyncIterable<Delivery>;
  /** The present view; undefined while this node is no member. */
  readonly view: View | undefined;
  /**
   * The present view and each later one; undefined while this node is no member. Completes when it
   * is a member no longer.
   */
  readonly views$: Observable<View | undefined>;
  /**
   * Why this node is a member no longer; resolves then.
   *
   * - `left`: it wanted to leave.
   * - `excluded`: the others have gone on without it, since they took it for crashed.
   * - `closed`: this program has closed it, or its machine failed.
   */
  readonly ended: Promise<'left' | 'excluded' | 'closed'>;
  /**
   * What this node must not forget: store it with each view, and pass it to the next start of the
   * node.
   */
  readonly stable: Readonly<Record<string, Json>>;
  /**
   * Leaves the group, when the messages of this member are delivered, and closes the node. From the
   * call on it takes no more messages. A leave cannot be withdrawn: after a wait that ended early
   * it goes on.
   *
   * @throws {ConclaveError} `aborted`, `timed-out`, `closed`, `lost`; `bad-input` for a protocol
   * whose members are fixed.
   */
  leave(options?: WaitOptions): Promise<void>;
  /**
   * Ends all waits with the error `closed`, and closes the node. To the other members this is a
   * crash.
   */
  close(): Promise<void>;
}
