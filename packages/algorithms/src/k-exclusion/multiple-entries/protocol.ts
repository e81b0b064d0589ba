import {
  always,
  defineProtocol,
  type NodeId,
  type NodeView,
  type Protocol,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type CancellableCommand, withCancel } from '../../mutual-exclusion/cancel.js';
import { type Command, commands, propertiesWith } from '../../mutual-exclusion/mutual-exclusion.js';
import { validOptions } from '../../options.js';
import { cancellableMachine, type Input, type Message, machine } from './multiple-entries.js';
import { multipleEntriesOptions, type Options } from './options.js';
import { countingRules } from './properties.js';

export type { CancellableCommand, Command, Options };

/** The nodes that have not replied to every request. */
const missing = ({ context }: NodeView): readonly NodeId[] =>
  Object.entries(context.missing ?? {}).flatMap(([id, count]) => (count > 0 ? [id] : []));

/**
 * A20: up to k nodes in the critical section, by Ricart–Agrawala that enters with n−k replies.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example multipleEntries({ entries: 3 })
 */
export function multipleEntries(options: Options = {}): Protocol<CancellableCommand> {
  const { entries = 2, cancel = false } = validOptions(
    'multipleEntries',
    multipleEntriesOptions,
    options,
  );
  const definition: ProtocolDefinition<Message, Command> = {
    id: 'A20',
    name: 'multiple-entries',
    title: 'Raymond’s multiple entries',
    problem: 'k-exclusion',
    citation:
      'K. Raymond: A Distributed Algorithm for Multiple Entries to a Critical Section. Information Processing Letters 30:4, 1989, 189–193',
    options: { entries },
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine,
        input: (self, topology) =>
          ({ self, peers: topology.successors(self), entries }) satisfies Input,
      },
    },
    messages: {
      request: {
        fields: ['ts'],
        counters: ['ts'],
        meaning: 'I request entry; `ts` is the time stamp of the request',
      },
      reply: {
        fields: ['count'],
        counters: ['count'],
        meaning: 'I reply to `count` of your requests',
      },
    },
    commands,
    properties: [
      ...propertiesWith(
        always(
          `at most ${entries === 1 ? 'one node is' : `${entries} nodes are`} in the critical section`,
          (system) => system.count('critical') <= entries,
        ),
      ),
      ...countingRules,
    ],
    waitsFor: missing,
    cost: {
      per: 'entry',
      formula: 'at most 2(n−1)',
      remark: 'at least 2n−k−1',
      messages: (n) => ({ least: n - 1 + Math.max(0, n - entries), most: 2 * (n - 1) }),
    },
  };
  if (!cancel) return defineProtocol(definition);
  return defineProtocol(
    withCancel(definition, { machines: { node: cancellableMachine }, withdraws: false }),
  );
}
