/** Known-wrong versions of the parts that A4 and A4b share. */
import { type Protocol, send } from '@conclave/core/protocol';
import { assertEvent, assign, enqueueActions } from 'xstate';
import type { Mutant } from '../../../contract/explored.contract.js';
import { mutantOf, withoutSteps } from '../../../contract/mutant.js';
import type { BroadcastMachine } from './broadcast-token.contract.js';
import { countOf, isOpen } from './token-knowledge.js';

export function commonMutants(
  protocol: Protocol,
  machine: BroadcastMachine,
): Readonly<Record<string, Mutant>> {
  const mutant = mutantOf(withoutSteps(protocol));
  return {
    'a late request lowers the known number': mutant(
      'complete:3, 19 steps: no node waits in a quiescent state',
      machine.provide({
        actions: {
          note: assign(({ context, event }) => {
            assertEvent(event, 'request');
            return { requested: { ...context.requested, [event.from]: event.k } };
          }),
        },
      }),
    ),
    'the entry is not recorded on the token': mutant(
      'complete:2, 5 steps: each entry has a larger fencing token than every entry before it',
      machine.provide({ actions: { countEntry: assign({}) } }),
    ),
    'the request has no number': mutant(
      'complete:2, 4 steps: no node waits in a quiescent state',
      machine.provide({ actions: { countRequest: assign({}) } }),
    ),
    'a node that leaves keeps the token': mutant(
      'complete:2, 4 steps: no node waits in a quiescent state',
      machine.provide({ guards: { anotherWaits: () => false } }),
    ),
    'an old request fetches the token': mutant(
      "complete:3, 9 steps: Node b in 'released.away' does not handle 'token' (from c)",
      machine.provide({
        guards: { isUnserved: () => true },
        actions: {
          passToken: enqueueActions(({ context: { peers, requested, token }, event, enqueue }) => {
            const [next] =
              event.type === 'request'
                ? [event.from]
                : peers.filter((id) => isOpen(token, id, countOf(requested, id)));
            if (next === undefined || !token) return;
            enqueue.emit(send(next, { type: 'token', ...token }));
            enqueue.assign({ token: null });
          }),
        },
      }),
    ),
    'a node that passes the token on keeps a copy': mutant(
      'complete:2, 2 steps: there is exactly one token, in a node or on its way',
      machine.provide({
        actions: {
          passToken: enqueueActions(({ context: { peers, requested, token }, enqueue }) => {
            const [next] = peers.filter((id) => isOpen(token, id, countOf(requested, id)));
            if (next !== undefined && token) enqueue.emit(send(next, { type: 'token', ...token }));
          }),
        },
      }),
    ),
  };
}
