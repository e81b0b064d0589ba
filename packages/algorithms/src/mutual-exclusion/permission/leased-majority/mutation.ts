import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../../mutation-notes.js';

/** As much as its time bounds let be explored: in exact time with three nodes that all enter there are more than a million worlds. */
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;

const systems: NonNullable<NotesByOptions[string]['systems']> = () => [
  { topology: complete(2), budget: { time } },
  { topology: complete(3), budget: { initiators: ['b'], losses: 1, time } },
];

export const mutation: NotesByOptions = { '': { systems, reasons: {} }, 'cancel=true': { systems, reasons: {} } };
