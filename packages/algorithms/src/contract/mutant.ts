import type { Protocol } from '@conclave/core/protocol';
import type { AnyStateMachine } from 'xstate';

/** `protocol` with another machine in one of its roles: for known-wrong versions. */
export function withMachine(protocol: Protocol, machine: AnyStateMachine, name = 'node'): Protocol {
  const role = protocol.roles[name];
  if (!role) throw new Error(`${protocol.name} has no role '${name}'`);
  return { ...protocol, roles: { ...protocol.roles, [name]: { ...role, machine } } };
}
