import type { Protocol } from '@conclave/core/protocol';

/** `protocol` with so many tokens for each ballot. */
export function shortBlocks(protocol: Protocol, block = 2): Protocol {
  const { node } = protocol.roles;
  if (!node) throw new Error(`${protocol.name} has no role 'node'`);
  const input: typeof node.input = (...of) => ({ ...Object(node.input(...of)), block });
  return { ...protocol, roles: { node: { ...node, input } } };
}
