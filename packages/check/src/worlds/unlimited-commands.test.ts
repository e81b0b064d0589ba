import { defineProtocol, never, sometimes } from '@conclave/core/protocol';
import { complete, needs } from '@conclave/core/topology';
import { expect, it } from 'vitest';
import { assign, createMachine } from 'xstate';
import { explore } from '../index.js';

const form = createMachine({
  context: { rounds: 0 },
  initial: 'closed',
  states: {
    closed: { on: { open: 'opened' } },
    opened: { on: { save: 'saved', close: 'closed' } },
    saved: {
      on: {
        close: {
          target: 'closed',
          actions: assign({ rounds: ({ context }) => (context.rounds + 1) % 3 }),
        },
      },
    },
  },
});
const optional = { kind: 'optional', meaning: 'of the user' } as const;
const protocol = defineProtocol({
  name: 'form',
  title: 'Form',
  problem: 'own',
  citation: 'none',
  topology: needs.connected,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: { node: { machine: form, input: () => ({}) } },
  messages: {},
  commands: { open: optional, save: optional, close: optional },
  waiting: false,
  properties: [
    sometimes('a third round', ({ nodes }) => nodes.some(({ context }) => context.rounds === 2)),
    never('a fourth round', ({ nodes }) => nodes.some(({ context }) => context.rounds === 3)),
  ],
});

it('unlimited commands: a verdict without a bound, in as many worlds as the machine has', () => {
  const found = explore(protocol, complete(1), { commands: 'unlimited' });
  expect([found.complete, found.states]).toEqual([true, 9]);
  expect(found.properties.map(({ verdict }) => verdict)).toEqual([
    'reached',
    'holds',
    'holds',
    'holds',
  ]);
});
