import { always, defineProtocol, everyStep, type Property } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import { type Command, commands, decision, largestLeads } from '../election.js';
import {
  countingMachine,
  fullCirculationOptions,
  type Message,
  machine,
  type Options,
} from './full-circulation.js';

export type { Command, Options };

/** Why n² messages are enough: each node sends each id once, and takes its own off the ring. */
const circulation: readonly Property[] = [
  always('a node that knows the leader has received the id of each node', (system) =>
    system.tagged('decided').every(({ context }) => context.received === system.nodes.length),
  ),
  everyStep(
    'a node sends its own id when it wakes, then each id that it receives except its own',
    ({ before, after, cause, sent }) => {
      // Where elections are held again, a message of an earlier term changes nothing.
      if (
        cause.kind === 'message' &&
        'term' in cause.message &&
        cause.message.term !== after.context.term
      )
        return sent.length === 0;
      const woken = before.value === 'asleep' ? [before.id] : [];
      const received =
        cause.kind === 'message' && 'id' in cause.message && cause.message.id !== before.id
          ? [cause.message.id]
          : [];
      const expected = [...woken, ...received];
      return (
        sent.length === expected.length &&
        sent.every(({ message }, place) => 'id' in message && message.id === expected[place])
      );
    },
  ),
];

/**
 * B4: full circulation.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example fullCirculation({ size: true }) // without FIFO channels
 */
export const fullCirculation = (options: Options = {}) => {
  const { size = false } = validOptions('fullCirculation', fullCirculationOptions, options);
  return defineProtocol<Message, Command>({
    id: 'B4',
    name: 'full-circulation',
    title: 'Full circulation',
    problem: 'election',
    citation:
      'G. Le Lann: Distributed Systems – Towards a Formal Approach. IFIP Congress, 1977, 155–160',
    ...(size ? { options: { size } } : {}),
    topology: needs.oneWayRing,
    channels: { order: size ? 'any' : 'fifo', loss: false, duplication: false },
    roles: {
      node: {
        machine: size ? countingMachine : machine,
        input: (self, topology) => ({
          self,
          next: topology.successors(self)[0] ?? self,
          size: size ? topology.nodes.length : null,
        }),
      },
    },
    messages: { election: { fields: ['id'], meaning: 'node `id` takes part' } },
    commands,
    properties: [...decision, largestLeads, ...circulation],
    cost: { per: 'election', formula: 'n²', messages: (n) => ({ least: n * n, most: n * n }) },
  });
};
