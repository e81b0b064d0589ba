import { send } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { describe } from 'vitest';
import { assign, enqueueActions } from 'xstate';
import { everyTransition } from '../../../contract/covered.contract.js';
import { everyInterleaving } from '../../../contract/explored.contract.js';
import { mutantOf, withoutSteps } from '../../../contract/mutant.js';
import { regeneratedToken } from './protocol.js';
import { machine } from './regenerated-token.js';

const plain = regeneratedToken({ coordinator: 'a' });
const mutant = mutantOf(withoutSteps(plain));

describe('A14 regenerated-token: with an appointed coordinator', () => {
  everyInterleaving(
    plain,
    [
      [
        '2 nodes, 2 entries each, up to 2 losses',
        [0, 1, 2].map((losses) => ({
          topology: ring(2),
          budget: { commands: 2, losses },
        })),
        86_605,
      ],
      ['3 nodes, 1 entry each, 1 loss', ring(3), { losses: 1 }, 51_941],
    ],
    {
      'a token of an earlier epoch is accepted, though no time-out ends too early': mutant(
        'ring:2, 7 steps: at most one node makes tokens, and no node knows a later epoch than it does',
        machine.provide({ guards: { isStale: () => false } }),
      ),
      'a new token has the epoch of the previous one, though no time-out ends too early': mutant(
        'ring:2, 4 steps: of each epoch there is at most one token, in a node or on its way',
        machine.provide({
          actions: {
            makeToken: enqueueActions(({ context: { next }, enqueue }) => {
              enqueue.assign({ seen: 1 });
              enqueue.emit(send(next, { type: 'token', epoch: 1, entries: 0 }));
            }),
          },
        }),
      ),
      'every node makes tokens': mutant(
        'ring:2, 2 steps: of each epoch there is at most one token, in a node or on its way',
        machine.provide({ guards: { isCoordinator: ({ context }) => context.timeout > 0 } }),
      ),
      'a lost token is not replaced': mutant(
        'ring:2, 4 steps: a coordinator inquires only after it has made as many tokens in a row as it may',
        machine.provide({
          actions: { inquire: assign({}) },
          guards: { mayRegenerate: () => false },
        }),
      ),
      'the coordinator never inquires': mutant(
        'ring:2, 11 steps: every node that wants to enter eventually enters',
        machine.provide({ actions: { inquire: assign({}) } }),
      ),
      'a node that leaves passes on two tokens': mutant(
        'ring:2, 4 steps: of each epoch there is at most one token, in a node or on its way',
        machine.provide({
          actions: {
            passToken: enqueueActions(({ context: { next, seen, entries }, enqueue }) => {
              for (const _copy of [1, 2])
                enqueue.emit(send(next, { type: 'token', epoch: seen, entries }));
            }),
          },
        }),
      ),
    },
  );

  // No node restarts here.
  const missed = ['regenerator.off: always [isCoordinator] → regenerator.watching'];
  everyTransition(plain, {
    topology: ring(3),
    budget: { losses: 1 },
    states: 51_941,
    transitions: 150_225,
    depth: 90,
    missed,
    neverTrue: missed,
  });
});
