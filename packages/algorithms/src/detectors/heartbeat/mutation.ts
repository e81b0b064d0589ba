import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

const systems = () => [
  { topology: complete(2), budget: {} },
  { topology: complete(2), budget: { crashes: 1 } },
];

export const mutation: NotesByOptions = {
  '': { systems, reasons: {} },
  // False suspicions, and time-outs that grow.
  'growth=50 longest=200 timeout=100': { systems, reasons: {} },
};
