import type { MutationSystem } from '@conclave/core/mutation';
import type { Protocol } from '@conclave/core/protocol';
import type { NotesByOptions } from './mutation-notes.js';

/** Where the reliable link's mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { systems: linkSystems, reasons: {} },
};

/** What a link is to carry has no example in the protocol. A delay of 90 ms keeps what is on its way from being sent again. */
function linkSystems(link: Protocol): readonly MutationSystem[] {
  const topology = link.topology.example(2);
  const one = [{ type: 'transmit', payload: 1 }];
  const two = [...one, { type: 'transmit', payload: 2 }];
  const timed = { initiators: ['a'], time: 'bounded', delay: 90 } as const;
  return [
    { commands: one },
    { commands: one, losses: 1 },
    { commands: one, duplications: 1 },
    { commands: two },
    { commands: two, losses: 1 },
  ].map((budget) => ({ topology, budget: { ...budget, ...timed }, fairness: 'strong' }));
}
