import { namesOf } from './names.js';
import type { NodeView } from './property.js';
import type { Protocol } from './protocol.js';

const waitsByTag = ({ tags }: NodeView): boolean => tags.has('waiting');

/**
 * Whether a node waits, as the protocol says it, or by the tag `waiting`; undefined where it says
 * neither.
 */
export function waitingOf(protocol: Protocol): ((node: NodeView) => boolean) | undefined {
  if (protocol.waiting !== undefined) return protocol.waiting || undefined;
  return namesOf(protocol).tags.has('waiting') ? waitsByTag : undefined;
}
