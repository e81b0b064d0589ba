/** Fischer's mutual exclusion (Lamport, A Fast Mutual Exclusion Algorithm, ACM TOCS 5:1, 1987). */

import {
  always,
  defineProtocol,
  type Effect,
  leadsTo,
  type NodeId,
  type Received,
  send,
  sometimes,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { assertEvent, setup } from 'xstate';

type Message =
  | { type: 'read' }
  | { type: 'value'; of: NodeId | null }
  | { type: 'write'; of: NodeId | null };

const memory = setup({
  types: {} as {
    context: { of: NodeId | null };
    events: Received<Message>;
    emitted: Effect<Message>;
  },
});
const cell = memory.createMachine({
  context: { of: null },
  on: {
    read: {
      actions: memory.emit(({ context, event }) => {
        assertEvent(event, 'read');
        return send(event.from, { type: 'value', of: context.of });
      }),
    },
    write: {
      actions: memory.assign(({ event }) => {
        assertEvent(event, 'write');
        return { of: event.of };
      }),
    },
  },
});

type Command = { type: 'acquire' } | { type: 'proceed' } | { type: 'release' };

interface Input {
  readonly self: NodeId;
  readonly memory: NodeId;
  readonly wait: number;
}

const process = setup({
  types: {} as {
    input: Input;
    context: Input;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
  delays: { wait: ({ context }) => context.wait },
});
const read = process.emit(({ context }) => send(context.memory, { type: 'read' }));
const claim = process.emit(({ context }) =>
  send(context.memory, { type: 'write', of: context.self }),
);
const free = process.emit(({ context }) => send(context.memory, { type: 'write', of: null }));

const contender = process
  .extend({
    actions: { read, claim, free },
    guards: {
      isFree: ({ event }) => 'of' in event && event.of === null,
      isOurs: ({ context, event }) => 'of' in event && event.of === context.self,
    },
  })
  .createMachine({
    context: ({ input }) => input,
    initial: 'out',
    states: {
      out: { on: { acquire: 'testing' } },
      testing: {
        tags: 'waiting',
        entry: 'read',
        on: { value: [{ guard: 'isFree', target: 'writing' }, { target: 'out' }] },
      },
      writing: {
        tags: ['waiting', 'writing'],
        on: { proceed: { target: 'waiting', actions: 'claim' } },
      },
      waiting: { tags: 'waiting', after: { wait: 'checking' } },
      checking: {
        tags: 'waiting',
        entry: 'read',
        on: { value: [{ guard: 'isOurs', target: 'inside' }, { target: 'out' }] },
      },
      inside: { tags: 'critical', on: { release: { target: 'out', actions: 'free' } } },
    },
  });

export const exclusion = always(
  'at most one process is inside',
  (system) => system.count('critical') <= 1,
);

/** `wait`: how long a process waits between its write and its second look. */
export const fischer = (wait: number) =>
  defineProtocol<Message, Command>({
    name: 'fischer',
    title: 'Fischer',
    problem: 'mutual-exclusion',
    citation: 'L. Lamport: A Fast Mutual Exclusion Algorithm. ACM TOCS 5:1, 1987',
    topology: needs.star,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      memory: { machine: cell, input: () => ({}) },
      process: {
        machine: contender,
        input: (self, { nodes: [memory = ''] }) => ({ self, memory, wait }),
      },
    },
    roleOf: (id, { nodes }) => (id === nodes[0] ? 'memory' : 'process'),
    messages: {
      read: { meaning: 'read' },
      value: { fields: ['of'], meaning: 'the value' },
      write: { fields: ['of'], meaning: 'write' },
    },
    commands: {
      acquire: { kind: 'optional', meaning: 'enter' },
      proceed: {
        kind: 'obligatory',
        meaning: 'the scheduler lets the process write',
        when: ({ tags }) => tags.has('writing'),
      },
      release: { kind: 'obligatory', meaning: 'leave', when: ({ tags }) => tags.has('critical') },
    },
    properties: [
      exclusion,
      sometimes('a process is inside', (system) => system.count('critical') > 0),
      leadsTo(
        'a process that tries is done with it',
        ({ tags }) => tags.has('waiting'),
        ({ tags }) => !tags.has('waiting'),
      ),
    ],
  });
