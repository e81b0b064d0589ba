/**
 * Ticket office: an office hands out numbers, and customers draw them. No two customers hold the
 * same number.
 */
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
import { needs } from '@conclave/core/topology';
import { assertEvent, setup } from 'xstate';

// The node contract: a node is an XState machine that sends with `emit(send(to, message))` and
// changes its context with `assign` only. It has no clock, no randomness, no I/O and no actors of
// its own. So the same machine runs in a simulation, in a search through every interleaving, and in
// your application.

/** What nodes send to each other. A received message also has the id of its sender, as `from`. */
type Message = { readonly type: 'draw' } | { readonly type: 'ticket'; readonly number: number };

/** What the application tells a node. */
type Command = { readonly type: 'want' };

// A node gets its `input` when it starts. Its context is small, plain JSON.
type Office = { readonly last: number };
type Customer = { readonly office: NodeId; readonly number: number };

const officeSetup = setup({
  types: {} as {
    input: Office;
    context: Office;
    events: Received<Message>;
    emitted: Effect<Message>;
  },
});

const office = officeSetup
  .extend({
    actions: {
      count: officeSetup.assign({ last: ({ context }) => context.last + 1 }),
      answer: officeSetup.emit(({ context, event }) =>
        send(event.from, { type: 'ticket', number: context.last }),
      ),
    },
  })
  .createMachine({
    id: 'office',
    context: ({ input }) => input,
    initial: 'open',
    states: {
      // in this order: the answer has the new number
      open: { on: { draw: { actions: ['count', 'answer'] } } },
    },
  });

const customerSetup = setup({
  types: {} as {
    input: Customer;
    context: Customer;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
});

// The `states` are the specification: only names, targets and guards. Tags are what properties look
// at; a node with the tag `waiting` waits for others, which the search for deadlocks needs to know.
// Each state handles each message that can arrive there, or ignores it explicitly.
//
// There is no timer, because the channels lose nothing: an answer always comes. To tolerate loss,
// `waiting` would repeat its request, as in `after: { 1000: { target: 'waiting', reenter: true } }`
// with the request among its entry actions, and the protocol would say how long messages take:
// `channels: { …, loss: true, time: { kind: 'exact', delay: [1, 100] } }`.
const customer = customerSetup
  .extend({
    actions: {
      draw: customerSetup.emit(({ context }) => send(context.office, { type: 'draw' })),
      keep: customerSetup.assign({
        number: ({ event }) => {
          assertEvent(event, 'ticket');
          return event.number;
        },
      }),
    },
  })
  .createMachine({
    id: 'customer',
    context: ({ input }) => input,
    initial: 'idle',
    states: {
      idle: {
        on: {
          want: { target: 'waiting', actions: 'draw' },
          ticket: {}, // ignored: it was for this node before it crashed
        },
      },
      waiting: { tags: 'waiting', on: { ticket: { target: 'served', actions: 'keep' } } },
      served: {
        tags: 'served',
        on: {
          want: { target: 'waiting', actions: 'draw' },
          ticket: {}, // ignored, as above
        },
      },
    },
  });

/** A property sees the states, tags and contexts of all nodes, and the messages in flight. */
export const distinctNumbers = always(
  'no two customers hold the same number',
  (system) => system.distinct('served', 'number').length === system.count('served'),
);

export const protocol = defineProtocol<Message, Command>({
  name: 'ticket-office',
  title: 'Ticket office',
  problem: 'numbering',
  citation: 'an example',
  topology: needs.star, // the first node is its centre
  // What the channels may do without harm: `check` explores all of it. With `--loss 1` or
  // `--duplicate 1` they may do more.
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    // A crash loses the context. Fields in `stable` survive: a restarted node gets them as part of
    // its input. Without this one, the office would start again at 1.
    office: { machine: office, input: () => ({ last: 0 }), stable: ['last'] },
    customer: {
      machine: customer,
      input: (_self, star) => ({ office: star.nodes[0] ?? '', number: 0 }),
    },
  },
  roleOf: (node, star) => (node === star.nodes[0] ? 'office' : 'customer'),
  messages: {
    draw: { meaning: 'give me a number' },
    ticket: { fields: ['number'], meaning: 'this number is yours' },
  },
  commands: {
    // `optional`: the application may give this command, or not, while `when` is true of the node.
    // An `obligatory` command is one that it always gives eventually, such as the release of a
    // lock.
    want: {
      kind: 'optional',
      meaning: 'get a new number',
      when: ({ role, tags }) => role === 'customer' && !tags.has('waiting'),
    },
  },
  properties: [
    distinctNumbers,
    // For each node: whenever the first is true, later the second.
    leadsTo(
      'every customer that wants a number eventually has one',
      (node) => node.tags.has('waiting'),
      (node) => node.tags.has('served'),
    ),
    // Without a `sometimes`, a protocol in which nothing happens would satisfy everything.
    sometimes('two customers hold numbers', (system) => system.count('served') === 2),
  ],
});
