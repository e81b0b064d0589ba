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
  const { value, context, tags } = after;
  const was = viewOfNode(protocol, id, role, {
    value: before.value,
    context: before.context,
    tags: before.tags,
    recorded: past,
  });
  const is = viewOfNode(protocol, id, role, { value, context, tags });
  return history.after(past, {
    ...nodeStep(was, is, cause, effects),
    ...(label === undefined ? {} : { label }),
  });
}
