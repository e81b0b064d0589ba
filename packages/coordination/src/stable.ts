import { inputAgain } from '@conclave/core/internal';
import type { Json, NodeView, Protocol } from '@conclave/core/protocol';

type Stable = Readonly<Record<string, Json>>;

/** `protocol` with nodes that start with these stable fields. */
export function startedFrom(stable: Stable | undefined, protocol: Protocol): Protocol {
  if (!stable) return protocol;
  const roles = Object.entries(protocol.roles).map(([name, role]) => [
    name,
    {
      ...role,
      input: (...whose: Parameters<typeof role.input>) =>
        inputAgain(role.input(...whose), stable, role.stable ?? []),
    },
  ]);
  return { ...protocol, roles: Object.fromEntries(roles) };
}

/** The stable fields of a node. */
export const stableOf = (protocol: Protocol, { role, context }: NodeView): Stable =>
  Object(inputAgain({}, context, protocol.roles[role]?.stable ?? []));
