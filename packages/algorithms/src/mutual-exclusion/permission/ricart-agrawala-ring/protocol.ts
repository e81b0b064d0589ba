import { defineProtocol, everyStep, type NodeView, type Property } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { isCommanded, receivedIn, sameIds, sentIn } from '../../../steps.js';
import {
  type Command,
  commands,
  previousNode,
  properties,
  tokensGrow,
} from '../../mutual-exclusion.js';
import { enters, onlyToNext } from '../../token/building-blocks/token.js';

import { numberOf, type Request } from '../building-blocks/permissions.js';
import { type Message, machine } from './ricart-agrawala-ring.js';

export type { Command };

const nameOf = ({ ts, id }: Request): string => `${id} ${ts}`;

const requestsIn = (messages: readonly object[]): readonly string[] =>
  messages.flatMap((message) =>
    'ts' in message && 'id' in message
      ? [nameOf({ ts: Number(message.ts), id: String(message.id) })]
      : [],
  );

const deferredBy = ({ context }: NodeView): readonly string[] =>
  requestsIn([context.deferred].flat().map(Object));

/** The rules, step by step. */
const rules: readonly Property[] = [
  onlyToNext,
  everyStep(
    'a node passes each request on once, immediately or after a deferral; its own request returns as the permission of all',
    (step) => {
      const { before, after } = step;
      const received = receivedIn(step, 'request');
      const came = received && received.id !== before.id ? requestsIn([received]) : [];
      const made = isCommanded('acquire', step)
        ? [nameOf({ ts: Number(after.context.requestedAt), id: before.id })]
        : [];
      const sent = requestsIn(sentIn(step, 'request').map(({ message }) => message));
      return (
        sameIds([...deferredBy(before), ...came, ...made], [...sent, ...deferredBy(after)]) &&
        enters(step) === (received?.id === before.id)
      );
    },
  ),
  everyStep(
    'a node defers requests only while it waits or is in the critical section',
    ({ after }) =>
      after.tags.has('waiting') || after.tags.has('critical') || deferredBy(after).length === 0,
  ),
  everyStep(
    'the clock of a node passes the time stamp of each request of another node, and its own request carries its reading',
    (step) => {
      const { before, after } = step;
      const received = receivedIn(step, 'request');
      const [was, is] = [Number(before.context.clock), Number(after.context.clock)];
      if (received && received.id !== before.id)
        return is === Math.max(was, Number(received.ts)) + 1;
      return (
        is === (isCommanded('acquire', step) ? was + 1 : was) &&
        (!isCommanded('acquire', step) || after.context.requestedAt === is)
      );
    },
  ),
];

/** A3b: Ricart–Agrawala on a one-way ring. */
export const ricartAgrawalaRing = defineProtocol<Message, Command>({
  id: 'A3b',
  name: 'ricart-agrawala-ring',
  title: 'Ricart–Agrawala on a ring',
  problem: 'mutual-exclusion',
  citation:
    'G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks. CACM 24:1, 1981 (sequential node-by-node processing)',
  topology: needs.oneWayRing,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => ({
        self,
        next: topology.at(self, 'next') ?? self,
        nodes: topology.nodes,
      }),
    },
  },
  messages: {
    request: {
      fields: ['ts', 'id'],
      counters: ['ts'],
      meaning:
        'node `id` requests entry, with the time stamp `ts`; all nodes from `id` to the receiver permit it',
    },
  },
  commands,
  properties: [...properties, tokensGrow(fence), ...rules],
  fence,
  waitsFor: previousNode,
  cost: { per: 'entry', formula: 'n', messages: (n) => ({ least: n, most: n }) },
});

/** Entries are in the order of requests. */
function fence({ id, context }: NodeView): number {
  return numberOf({ ts: Number(context.requestedAt), id }, [context.nodes].flat().map(String));
}
