/** Known-wrong versions of the parts that A5 and A6 share. */
import { type Protocol, send } from '@conclave/core/protocol';
import { type AnyStateMachine, assertEvent, assign, enqueueActions } from 'xstate';
import type { Mutant } from '../../../contract/explored.contract.js';
import { mutantOf, withoutSteps } from '../../../contract/mutant.js';
import type { machine } from '../tree-token/tree-token.js';
import { destination } from './search-token.js';
import { countOf } from './token-knowledge.js';

/** Other actions and guards for one of the machines. */
type Changed = Parameters<(typeof machine)['provide']>[0];

/** Sends each search twice. */
export const searchTwice: Changed = {
  actions: {
    search: enqueueActions(({ context: { self, neighbours, requested }, enqueue }) => {
      for (const id of [...neighbours, ...neighbours])
        enqueue.emit(send(id, { type: 'search', initiator: self, k: countOf(requested, self) }));
    }),
    forward: enqueueActions(({ context: { neighbours }, event, enqueue }) => {
      assertEvent(event, 'search');
      const { initiator, k, from } = event;
      for (const id of [...neighbours, ...neighbours])
        if (id !== from) enqueue.emit(send(id, { type: 'search', initiator, k }));
    }),
  },
};

/**
 * Both explore 2 nodes with several entries each, then the trees of 3 nodes.
 *
 * @param mute the machine whose nodes send nothing when they receive a search.
 */
export function searchMutants(
  protocol: Protocol,
  provide: (changed: Changed) => AnyStateMachine,
  { mute, echoes }: { readonly mute: AnyStateMachine; readonly echoes: boolean },
): Readonly<Record<string, Mutant>> {
  const mutant = mutantOf(withoutSteps(protocol));
  /** Where waves return, one more message must arrive before the system is quiescent. */
  const quiescent = echoes ? 9 : 8;
  return {
    'only the neighbours are told': mutant(
      'edges:a,b,c,a-b,a-c, 8 steps: no node waits in a quiescent state',
      mute,
    ),
    'the entry is not recorded on the token': mutant(
      'chain:2, 3 steps: each entry has a larger fencing token than every entry before it',
      provide({ actions: { countEntry: assign({}) } }),
    ),
    'the request has no number': mutant(
      'chain:2, 3 steps: each entry has a larger fencing token than every entry before it',
      provide({ actions: { countRequest: assign({}) } }),
    ),
    'a node that leaves keeps the token': mutant(
      `chain:2, ${quiescent} steps: no node waits in a quiescent state`,
      provide({ guards: { anotherWaits: () => false } }),
    ),
    'a node that passes the token on keeps a copy': mutant(
      'chain:2, 2 steps: there is exactly one token, in a node or on its way',
      provide({
        actions: {
          passToken: enqueueActions(({ context, enqueue }) => {
            const to = destination(context) ?? '';
            const next = context.nextHop[to];
            if (next !== undefined && context.token)
              enqueue.emit(send(next, { type: 'token', ...context.token, to }));
          }),
        },
      }),
    ),
  };
}
