import type { Protocol } from '@conclave/core/protocol';
import { type AnyStateMachine, createMachine } from 'xstate';

/**
 * `protocol` with nodes that ignore every message that their state does not handle. Without one of
 * its assumptions a protocol may stop at such a message; this version goes on, so that a test can
 * look at its later entries.
 */
export const ignoringUnexpected = (protocol: Protocol): Protocol => ({
  ...protocol,
  roles: Object.fromEntries(
    Object.entries(protocol.roles).map(([name, role]) => [
      name,
      { ...role, machine: ignoring(role.machine, Object.keys(protocol.messages)) },
    ]),
  ),
});

const ignoring = (
  { config, implementations }: AnyStateMachine,
  messages: readonly string[],
): AnyStateMachine =>
  createMachine(
    { ...config, on: { ...Object.fromEntries(messages.map((type) => [type, {}])), ...config.on } },
    implementations,
  );
