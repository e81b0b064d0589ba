import type { MutationSystem } from '@conclave/core/mutation';
import { ring } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

/** A long stay lets the coordinator guess; two losses, ask, and ask again. */
const systems = (): readonly MutationSystem[] => [
  ...[{ wishes: 1 }, { wishes: 1, losses: 1 }, { wishes: 1, losses: 2 }, { wishes: 2 }].map(
    (budget): MutationSystem => ({ topology: ring(2), budget: { ...budget, time: 'bounded' }, fairness: 'strong' }),
  ),
  { topology: ring(3), budget: { wishes: 1, time: 'bounded' }, fairness: 'strong' },
];

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { systems, reasons: {} },
  'coordinator=a': { reasons: {} },
};
