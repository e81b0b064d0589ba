import type { MutationSystem } from '@conclave/core/mutation';
import type { NodeView, Protocol } from '@conclave/core/protocol';
import type { NotesByOptions } from './mutation-notes.js';

/** Where the reliable link's mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { systems: linkSystems, reasons: {} },
};

/** What a link is to carry has no example in the protocol. A delay of 90 ms keeps what is on its way from being sent again. */
function linkSystems(link: Protocol): readonly MutationSystem[] {
  const topology = link.topology.example(2);
  const carry = (...payloads: readonly number[]) => ({ inputs: payloads.map((payload) => ({ type: 'transmit', payload })) });
  const timed = { time: 'bounded', delay: 90 } as const;
  const fromOne = { initiators: ['a'], ...timed };
  return [
    { ...carry(1), ...fromOne },
    { ...carry(1), ...fromOne, losses: 1 },
    { ...carry(1), ...fromOne, losses: 2 },
    { ...carry(1), ...fromOne, duplications: 1 },
    { ...carry(1), ...timed },
    { ...carry(1, 2), ...fromOne },
    { ...carry(1, 2), ...fromOne, losses: 1 },
    // More than the window has room for.
    { ...carry(1, 2, 3), ...fromOne },
    // The sender may come back as another one.
    { ...carry(1, 2), ...fromOne, crashes: 1, restarts: 1, mayCrash: ({ id }: NodeView) => id === 'a' },
  ].map((budget) => ({ topology, budget, fairness: 'strong' }));
}
