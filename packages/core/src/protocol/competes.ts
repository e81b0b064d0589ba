import type { Protocol } from './protocol.js';

/** Whether nodes of this protocol compete for a critical section. */
export const competes = ({ commands }: Pick<Protocol, 'commands'>): boolean =>
  'acquire' in commands && 'release' in commands;
