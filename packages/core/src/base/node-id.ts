/**
 * The name of one node. Ids are totally ordered by `<` on strings (code units), the same on every
 * platform.
 */
export type NodeId = string;
