import type { NodeId, NodeView, Protocol } from '@conclave/core/protocol';
import { isIdle } from '../../mutual-exclusion.js';

/** `protocol` where only these nodes acquire, and only those revoke. */
export function only(
  protocol: Protocol,
  acquiring: readonly NodeId[],
  revokers: readonly NodeId[],
): Protocol {
  const { acquire, revoke, ...others } = protocol.commands;
  if (!acquire || !revoke) throw new Error('unreachable: it has both commands');
  const commands = {
    acquire: { ...acquire, when: (node: NodeView) => isIdle(node) && acquiring.includes(node.id) },
    revoke: { ...revoke, when: ({ id }: NodeView) => revokers.includes(id) },
    ...others,
  };
  return { ...protocol, commands };
}
