import { NotCompilable } from './not-compilable.js';

/** What user code gets as XState's `spawn`. */
export const spawn = (): never => {
  throw new NotCompilable('spawns an actor');
};
