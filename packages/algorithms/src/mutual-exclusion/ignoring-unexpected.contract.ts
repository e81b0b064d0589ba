import type { Protocol } from '@conclave/core/protocol';
import { type AnyStateMachine, createMachine } from 'xstate';

/**
 * `protocol` with nodes that ignore a message where they do not handle it. Beyond its assumptions a protocol may stop at such a message;
 * this one goes on, so that what becomes of its entries can be looked at.
 */
export const forgiving = (protocol: Protocol): Protocol => ({
  ...protocol,
  roles: Object.fromEntries(
    Object.entries(protocol.roles).map(([name, role]) => [
      name,
      { ...role, machine: ignoring(role.machine, Object.keys(protocol.messages)) },
    ]),
  ),
});

const ignoring = ({ config, implementations }: AnyStateMachine, messages: readonly string[]): AnyStateMachine =>
  createMachine({ ...config, on: { ...Object.fromEntries(messages.map((type) => [type, {}])), ...config.on } }, implementations);
