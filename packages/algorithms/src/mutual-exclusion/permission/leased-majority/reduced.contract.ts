/** Leased majorities with fewer worlds: nodes that ask, enter, revoke or change less. */
import type { NodeId, NodeView, Protocol } from '@conclave/core/protocol';
import { type AnyStateMachine, enqueueActions } from 'xstate';
import { withMachine } from '../../../contract/machines.contract.js';
import { isIdle } from '../../mutual-exclusion.js';
import { type Context, votersOf } from './node.js';

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

/** `protocol` whose nodes of these roles have further fields in their input. */
const withInput = (protocol: Protocol, fields: object, roles: readonly string[]): Protocol => ({
  ...protocol,
  roles: Object.fromEntries(
    Object.entries(protocol.roles).map(([name, role]) => {
      const input: typeof role.input = (...of) => ({ ...Object(role.input(...of)), ...fields });
      return [name, roles.includes(name) ? { ...role, input } : role];
    }),
  ),
});

/** `protocol` with so many tokens for each ballot. */
export const shortBlocks = (protocol: Protocol, block = 2): Protocol =>
  withInput(protocol, { block }, Object.keys(protocol.roles));

/** `protocol` with clients that ask so often: otherwise the numbers of questions have no end. */
export const withQuestions = (protocol: Protocol, questions: number): Protocol =>
  withInput(protocol, { questions }, ['client']);

export type Wishes = Readonly<Record<NodeId, readonly NodeId[]>>;

/**
 * `protocol` with nodes that ask for these voters when they enter: without the moments between, in
 * which nothing happens that does not happen before and after, there are a hundredth of the worlds.
 */
export const wishing = (
  protocol: Protocol,
  wishes: Wishes,
  machine: AnyStateMachine | undefined = protocol.roles.node?.machine,
): Protocol =>
  withMachine(
    protocol,
    machine?.provide({
      actions: {
        noteEntry: enqueueActions(({ context: of, enqueue }) => {
          const context = of as Context; // of this machine
          enqueue.assign({ floor: Math.max(context.floor, context.ballot) });
          const voters = wishes[context.self];
          if (voters && !context.change && String(voters) !== String(votersOf(context)))
            enqueue.raise({ type: 'change', voters });
        }),
      },
    }) as AnyStateMachine, // withMachine refuses a protocol without this role
  );
