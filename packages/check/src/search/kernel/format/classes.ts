/** The tables that the listener of a search fills, behind those of the system. */

/** By node: configuration → its class: what the properties can tell apart. */
export const nodeClass = 20;
/** Content → its class. */
export const contentClass = 21;
/** How many tables there are. */
export const kinds = 22;
