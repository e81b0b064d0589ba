import { defineProtocol, type NodeView, type ProtocolDefinition } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type CancellableCommand, fenced, withCancel } from '../../cancel.js';
import {
  type Command,
  commands,
  nodesIn,
  properties,
  queuedIn,
  tokensGrow,
} from '../../mutual-exclusion.js';
import { fenceOf } from '../building-blocks/requests.js';
import { cancellableMachine, type Message, machine } from './lamport.js';
import { cancellableRules, rules } from './properties.js';

export type { CancellableCommand, Command };

/**
 * Entries are in the order of requests. A node's own is in its queue from `acquire` to `release`.
 */
const fence = (node: NodeView): number => {
  const { queue } = node.context;
  return fenceOf(
    Array.isArray(queue) ? queue.find(({ id }) => id === node.id)?.ts : undefined,
    node,
  );
};

const definition: ProtocolDefinition<Message, Command> = {
  id: 'A2',
  name: 'lamport',
  title: 'Lamport',
  problem: 'mutual-exclusion',
  citation:
    'L. Lamport: Time, Clocks, and the Ordering of Events in a Distributed System. CACM 21:7, 1978',
  topology: needs.complete,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, peers: topology.successors(self) }) },
  },
  messages: {
    request: {
      fields: ['ts'],
      counters: ['ts'],
      meaning: 'I request entry; `ts` is the time stamp of the request',
    },
    ack: {
      fields: ['ts'],
      counters: ['ts'],
      meaning: 'I have your request; all my later messages have a larger time stamp than `ts`',
    },
    released: {
      fields: ['ts'],
      counters: ['ts'],
      meaning: 'I have left: remove my request; RELEASE in the paper',
    },
  },
  commands,
  properties: [...properties, tokensGrow(fence), ...rules],
  fence,
  waitsFor: nodesIn('awaiting'),
  contenders: queuedIn('id'),
  cost: {
    per: 'entry',
    formula: '3(n−1)',
    messages: (n) => ({ least: 3 * (n - 1), most: 3 * (n - 1) }),
  },
};

/** A2: Lamport's queue of requests at every node. */
export const lamport = fenced(defineProtocol(definition));

/** A2 with the option `cancel`: the application may withdraw a request. */
export const lamportCancellable = fenced(
  defineProtocol(
    withCancel(
      { ...definition, properties: [...properties, tokensGrow(fence), ...cancellableRules] },
      { machines: { node: cancellableMachine }, withdraws: false },
    ),
  ),
);
