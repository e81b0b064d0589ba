import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../../mutation-notes.js';

/** Messages of exactly one second. */
const messages = { kind: 'exact', delay: [1_000, 1_000] } as const;
const time = { ...messages, stays: { critical: [0, 1_000] } } as const;
/** The holder may outstay its lease. */
const long = { ...messages, stays: { critical: [0, 8_000] } } as const;

/** Messages that take no time: fewer worlds where both nodes request. */
const instant = { ...time, delay: [0, 0] } as const;

/** Losses end leases, a restart binds a voter anew, and two nodes that both request inquire of each other. */
const systems: NonNullable<NotesByOptions[string]['systems']> = () => [
  { topology: complete(2), budget: { initiators: ['a'], losses: 3, time: long } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  { topology: complete(2), budget: { initiators: ['b'], losses: 1, duplications: 1, time: long } },
  { topology: complete(3), budget: { initiators: ['b'], crashes: 1, restarts: 1, time } },
  { topology: complete(2), budget: { losses: 1, time: instant } },
  { topology: complete(2), budget: { time } },
];

export const mutation: NotesByOptions = {
  'lease=5000 renewal=2000': { instead: true, systems, reasons: {} },
  'cancel=true': {
    systems: () => [
      { topology: complete(2), budget: { initiators: ['b'], commands: 2, time } },
      { topology: complete(3), budget: { initiators: ['b'], losses: 1, time } },
      { topology: complete(2), budget: { time: instant } },
    ],
    parts: ['even', 'odd', 'voter'],
    reasons: {},
  },
};
