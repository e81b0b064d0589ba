import { Beyond } from './beyond.js';

/** What user code gets as XState's `spawn`. */
export const spawn = (): never => {
  throw new Beyond('spawns an actor');
};
