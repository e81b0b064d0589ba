import type { NodeId, Protocol } from '@conclave/core/protocol';
import { type AnyStateMachine, enqueueActions } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { votersOf } from './configuration.js';
import type { Context } from './node.js';

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
