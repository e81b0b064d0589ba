import { defineProtocol, everyStep, type NodeId } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { around, type Command, commands, largestLeads, properties, sidesOf } from '../election.js';
import { type Message, machine } from './franklin.js';

export type { Command };

/** B5: Franklin. */
export const franklin = defineProtocol<Message, Command>({
  id: 'B5',
  name: 'franklin',
  title: 'Franklin',
  problem: 'election',
  citation:
    'W. R. Franklin: On an Improved Algorithm for Decentralized Extrema Finding in Circular Configurations of Processors. CACM 25:5, 1982, 336–337',
  topology: needs.twoWayRing,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: { node: { machine, input: sidesOf } },
  messages: {
    candidate: { fields: ['id'], meaning: 'the nearest active node on this side is `id`' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [
    ...properties,
    largestLeads,
    everyStep('a node keeps at most two ids from one side', ({ after: { context } }) =>
      [context.fromLeft, context.fromRight].every((ids) => Array.isArray(ids) && ids.length <= 2),
    ),
  ],
  cost: {
    per: 'election',
    formula: 'at most 2n(⌊log₂ n⌋ + 1) + n',
    messages: (n, ring) => {
      const [least, most] = ring
        ? [rounds(around(ring)), rounds(around(ring))]
        : [2, Math.floor(Math.log2(n)) + 1];
      return { least: 2 * n * least + n, most: 2 * n * most + n };
    },
  },
});

/**
 * How many rounds these nodes around a ring need: after each, the local maxima remain; the last one
 * gets its own id.
 */
function rounds(ids: readonly NodeId[]): number {
  if (ids.length < 2) return 1;
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  return 1 + rounds(ids.filter((id, i) => id > (ids[i - 1] ?? last) && id > (ids[i + 1] ?? first)));
}
