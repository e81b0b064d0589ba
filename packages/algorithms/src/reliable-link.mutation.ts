import type { MutationSystem } from '@conclave/core/mutation';
import type { NodeView, Protocol } from '@conclave/core/protocol';
import { because, type NotesByOptions } from './mutation-notes.js';

/** The systems on which the mutants of the reliable link are explored. */
export const mutation: NotesByOptions = {
  '': {
    systems: linkSystems,
    reasons: because(
      'The timer then ends sooner, and payloads on their way are sent again: that costs messages, and breaks nothing',
      'waiting: ack #2 drop-target',
    ),
  },
};

/**
 * The protocol has no example of a payload. A round trip takes less than the retransmission timeout
 * of 200 ms.
 */
function linkSystems(link: Protocol): readonly MutationSystem[] {
  const topology = link.topology.example(2);
  const carry = (...payloads: readonly number[]) => ({
    inputs: payloads.map((payload) => ({ type: 'transmit', payload })),
  });
  const timed = { time: { kind: 'exact', delay: [0, 50] } } as const;
  const fromOne = { initiators: ['a'], ...timed };
  return [
    { ...carry(1), ...fromOne },
    { ...carry(1), ...fromOne, losses: 1 },
    { ...carry(1), ...fromOne, losses: 2 },
    { ...carry(1), ...fromOne, duplications: 1 },
    { ...carry(1), ...timed },
    { ...carry(1, 2), ...fromOne },
    { ...carry(1, 2), ...fromOne, losses: 1 },
    // More messages than the window holds.
    { ...carry(1, 2, 3), ...fromOne },
    // The sender may restart as a new incarnation.
    {
      ...carry(1, 2),
      ...fromOne,
      crashes: 1,
      restarts: 1,
      mayCrash: ({ id }: NodeView) => id === 'a',
    },
  ].map((budget) => ({ topology, budget, fairness: 'strong' }));
}
