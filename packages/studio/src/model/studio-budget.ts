import type { Setup } from '../link/setup.js';

/** The parts of a budget that a link can hold. */
export type StudioBudget = Setup['budget'];
