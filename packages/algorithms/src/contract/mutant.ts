import type { Protocol } from '@conclave/core/protocol';
import type { AnyStateMachine } from 'xstate';

/** `protocol`, of one role, with another machine in it: for known-wrong versions. */
export function withMachine(protocol: Protocol, machine: AnyStateMachine): Protocol {
  const { node } = protocol.roles;
  if (!node) throw new Error(`${protocol.name} has no role 'node'`);
  return { ...protocol, roles: { node: { ...node, machine } } };
}
