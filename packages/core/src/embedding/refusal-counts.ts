import type { RefusalReason } from './transport.js';

/** Of a transport that refuses nothing. */
export const noRefusals: Readonly<Record<RefusalReason, number>> = {
  malformed: 0,
  version: 0,
  network: 0,
  stranger: 0,
  misaddressed: 0,
  forged: 0,
  'too-large': 0,
};

/** Whether a refusal is reported: the first, the tenth and so on, so that a flood stays unheard. */
export const isReported = (count: number): boolean => /^10*$/.test(String(count));
