/** What an environment allows: bits of the first number of its list. */

export const choose = 1;
export const lose = 2;
export const duplicate = 4;
export const crash = 8;
export const restart = 16;
export const cut = 32;
export const change = 64;
export const begin = 128;
/** The node that chooses has another choice to make. */
export const again = 256;
