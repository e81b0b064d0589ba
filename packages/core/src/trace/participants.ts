import type { NodeId } from '../protocol/node.js';
import type { Trace } from './trace.js';

/**
 * The nodes of a trace: those its header lists under `nodes`, in that order, then all others that
 * occur in it, by their order.
 */
export function participants(trace: Trace): readonly NodeId[] {
  const listed = trace.header.get('nodes')?.split(/\s+/).filter(Boolean) ?? [];
  const others = new Set<NodeId>();
  for (const { node, event, effects } of trace.lines) {
    others.add(node);
    if ('from' in event) others.add(event.from);
    for (const effect of effects) if (effect.kind === 'send') others.add(effect.to);
  }
  for (const id of listed) others.delete(id);
  return [...new Set(listed), ...[...others].sort()];
}
