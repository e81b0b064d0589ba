import { defineProtocol, type NodeView } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { inCriticalSection, isIdle, nodesIn } from '../../mutual-exclusion/mutual-exclusion.js';
import { localExclusion } from '../local-exclusion.js';
import { type Command, type Input, type Message, machine } from './appointments.js';
import { calendars, shareParticipant } from './properties.js';

export type { Command };

/** A17: appointments among several participants, whose calendars are taken in the order of ids. */
export const appointments = defineProtocol<Message, Command>({
  id: 'A17',
  name: 'appointments',
  title: 'Appointments among several participants',
  problem: 'local-exclusion',
  citation:
    'J. W. Havender: Avoiding Deadlock in Multitasking Systems. IBM Systems Journal 7:2, 1968, 74–84; E. W. Dijkstra: Hierarchical Ordering of Sequential Processes. Acta Informatica 1:2, 1971, 115–138',
  topology: needs.connected,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => ({ self, neighbours: topology.successors(self) }) satisfies Input,
    },
  },
  messages: {
    request: { meaning: 'I want you to take part in an appointment' },
    granted: {
      fields: ['entries'],
      counters: ['entries'],
      meaning: 'you have my calendar; the largest fencing token in it is `entries`',
    },
    returned: {
      fields: ['entries'],
      counters: ['entries'],
      meaning: 'the appointment is over; its fencing token was `entries`',
    },
  },
  commands: {
    acquire: {
      kind: 'optional',
      fields: ['with'],
      meaning:
        'the application wants an appointment with these neighbours, or with all of them: `neighbours`',
      when: isIdle,
      examples: [{ with: 'neighbours' }, { with: [] }],
    },
    release: { kind: 'obligatory', meaning: 'the appointment is over', when: inCriticalSection },
  },
  properties: [
    ...localExclusion(
      'no two appointments that share a participant are held at once',
      shareParticipant,
    ),
    ...calendars,
  ],
  fence: ({ context }: NodeView) => Number(context.fence),
  fenceCondition:
    'from one entry to the next among appointments that share a participant; others may be held at the same time',
  waitsFor: (node) => nodesIn('missing')(node).slice(0, 1),
  cost: {
    per: 'entry',
    formula: '3(k−1)',
    remark: 'for k participants, the organiser included',
    messages: (n, topology) => ({
      least: 0,
      most:
        3 *
        (topology
          ? Math.max(...topology.nodes.map((id) => topology.successors(id).length))
          : n - 1),
    }),
  },
});
