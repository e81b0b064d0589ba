import { expect, it } from 'vitest';
import { assertEvent, emit, setup } from 'xstate';
import { tiny } from '../../../protocol/examples.contract.js';
import { type Effect, type NodeId, type Received, send } from '../../../protocol/node.js';
import { sometimes } from '../../../protocol/property.js';
import { star } from '../../../topology/generators.js';
import * as needs from '../../../topology/needs.js';
import { explore } from '../../explore/explore.js';
import { leavesAlike } from '../../fixtures/symmetric.contract.js';

type Talk = { type: 'question' } | { type: 'answer' };

/** A leaf asks the centre, which answers; no state changes. */
const machine = setup({
  types: {} as {
    input: { centre: NodeId };
    context: { centre: NodeId };
    events: { type: 'ask' } | Received<Talk>;
    emitted: Effect<Talk>;
  },
  actions: {
    ask: emit(({ context }) => send(context.centre, { type: 'question' })),
    answer: emit(({ event }) => {
      assertEvent(event, 'question');
      return send(event.from, { type: 'answer' });
    }),
  },
}).createMachine({
  context: ({ input }) => input,
  on: { ask: { actions: 'ask' }, question: { actions: 'answer' }, answer: {} },
});

const inquiry = tiny(machine, {
  topology: needs.star,
  roles: { node: { machine, input: (_self, { nodes }) => ({ centre: nodes[0] ?? '' }) } },
  messages: { question: { meaning: 'which?' }, answer: { meaning: 'this one' } },
  commands: { ask: { kind: 'optional', meaning: 'ask the centre' } },
  symmetry: leavesAlike,
});

it('a property of messages is asked again where only the messages differ', () => {
  const properties = ['b', 'c'].map((id) =>
    sometimes(`an answer goes to ${id}`, (system) =>
      system.inFlight('answer').some(({ to }) => to === id),
    ),
  );
  const found = explore(inquiry, star(3), {
    properties,
    initiators: ['b', 'c'],
    reduce: 'symmetry',
    limits: { depth: 2 },
  });
  expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
    'reached',
    'reached',
  ]);
});
