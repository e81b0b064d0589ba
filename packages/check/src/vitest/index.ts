import 'vitest';
import { explorationMatchers, mutationMatchers } from './matchers.js';

/** Matchers for vitest: `expect.extend(matchers)`. */
export const matchers = { ...explorationMatchers, ...mutationMatchers };

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: an interface must be declared again with the very parameters that vitest gave it
  interface Matchers<T = any> {
    toHold(): T;
    toViolate(property: string): T;
    toReach(property: string): T;
    toKillMutants(options?: Parameters<typeof mutationMatchers.toKillMutants>[1]): T;
  }
}
