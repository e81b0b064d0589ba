/** Known-wrong versions of what A5 and A6 have in common. */
import { type Protocol, send } from '@conclave/core/protocol';
import { assign, enqueueActions } from 'xstate';
import type { Mutant } from '../../../contract/explored.contract.js';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import type { WalkingMachine } from './walking-token.contract.js';
import { destination, walker } from './walking-token.js';
import type { Wave } from './wave.js';

/** Both explore 2 nodes with several entries each, then the trees of 3 nodes. */
export function walkingMutants(protocol: Protocol, machine: WalkingMachine, wave: Wave): Readonly<Record<string, Mutant>> {
  const mutant = (refuted: string, changed: WalkingMachine) => ({ protocol: withMachine(withoutSteps(protocol), changed), refuted });
  /** Where waves come back, one more message has to come to rest. */
  const stuck = wave.comesBack ? 9 : 8;
  return {
    'only the neighbours are told': mutant(
      'edges:a,b,c,a-b,a-c, 8 steps: no node waits in a quiescent state',
      walker('neighbours only', {
        ...wave,
        heard: (node, message) => ({ ...wave.heard(node, message), sent: [] }),
      }),
    ),
    'the entry is not written on the token': mutant(
      'chain:2, 3 steps: each entry has a larger fencing token than every entry before it',
      machine.provide({ actions: { countEntry: assign({}) } }),
    ),
    'the wish has no number': mutant(
      'chain:2, 3 steps: each entry has a larger fencing token than every entry before it',
      machine.provide({ actions: { countRequest: assign({}) } }),
    ),
    'whoever leaves looks at nobody': mutant(
      `chain:2, ${stuck} steps: no node waits in a quiescent state`,
      machine.provide({ guards: { somebodyWaits: () => false } }),
    ),
    'whoever passes the token on keeps it': mutant(
      'chain:2, 2 steps: there is exactly one token, in a node or on its way',
      machine.provide({
        actions: {
          passToken: enqueueActions(({ context, enqueue }) => {
            const to = destination(context) ?? '';
            const next = context.towards[to];
            if (next !== undefined && context.token) enqueue.emit(send(next, { type: 'token', ...context.token, to }));
          }),
        },
      }),
    ),
  };
}
