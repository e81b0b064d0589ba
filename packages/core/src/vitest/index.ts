import 'vitest';
import type { KillOptions } from './mutation-matcher.js';

export { explorationMatchers } from './matchers.js';
export { mutationMatchers } from './mutation-matcher.js';

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: an interface must be declared again with the very parameters that vitest gave it
  interface Matchers<T = any> {
    toHold(): T;
    toViolate(property: string): T;
    toReach(property: string): T;
    toKillMutants(options?: KillOptions): T;
  }
}
