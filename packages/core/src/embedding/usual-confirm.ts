import type { EmbedOptions } from './embedded.js';

/** Which steps XState repeats without the option `confirm`; in the tests: all. */
export const usualConfirm: NonNullable<EmbedOptions['confirm']> = 'sample';
