import { viewOfNode } from '../protocol/check-properties.js';
import type { NodeHistory } from '../protocol/history.js';
import type { Json } from '../protocol/node.js';
import { causeOf, nodeStep } from '../protocol/node-step.js';
import type { NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { TakenStep } from './network.js';

/**
 * The history variable of a node after a step; a start or restart is none. `label`: what the
 * received message carries along.
 */
export function historyAfter(
  history: NodeHistory,
  protocol: Protocol,
  { id, role }: Pick<NodeView, 'id' | 'role'>,
  { stimulus, before, after, past, effects }: TakenStep,
  label: Json | undefined,
): Json | undefined {
  const cause = before && causeOf(stimulus);
  if (!before || !cause || past === undefined) return past;
  const was = viewOfNode(protocol, id, role, before, past);
  const is = viewOfNode(protocol, id, role, after, undefined);
  return history.after(past, {
    ...nodeStep(was, is, cause, effects),
    ...(label === undefined ? {} : { label }),
  });
}
