/** What an environment allows: bits of the first number of its list. */

export const choose = 1;
export const lose = 2;
export const crash = 4;
export const restart = 8;
export const cut = 16;
export const change = 32;
export const begin = 64;
/** The node that chooses has another choice to make. */
export const again = 128;
/** The first of the other faults of channels; each has a bit, and this is the least. */
export const disturb = 256;
