/** Properties of reservations, whatever conflicts. */
import { always, type NodeView, type Property } from '@conclave/core/protocol';
import { fenceOf } from '../building-blocks/requests.js';

/** Conflicting reservations are in the order of requests. */
export const fence = (node: NodeView): number => fenceOf(node.context.requestedAt, node);

export const fenceCondition =
  'from one entry to the next among reservations that conflict; others may be held at the same time';

/** @param conflict symmetric */
export const waitingIsLarger = (conflict: (one: NodeView, other: NodeView) => boolean): Property =>
  always(
    'of two conflicting reservations the waiting one has the larger fencing token',
    (system) => {
      const waiting = system.tagged('waiting');
      return system
        .tagged('critical')
        .every((one) =>
          waiting.every((other) => !conflict(one, other) || fence(one) < fence(other)),
        );
    },
  );
