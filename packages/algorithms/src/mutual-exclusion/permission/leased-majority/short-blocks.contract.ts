import type { Protocol } from '@conclave/core/protocol';

/** `protocol` with so many tokens for each ballot. */
export const shortBlocks = (protocol: Protocol, block = 2): Protocol => ({
  ...protocol,
  roles: Object.fromEntries(
    Object.entries(protocol.roles).map(([name, role]) => [
      name,
      { ...role, input: (...of) => ({ ...Object(role.input(...of)), block }) },
    ]),
  ),
});
