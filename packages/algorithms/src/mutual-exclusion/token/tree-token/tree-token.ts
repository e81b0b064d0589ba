/**
 * A token that is sought over the edges of a spanning tree, all of them (F. Mattern: Verteilte Algorithmen, lecture notes, 1999/2000).
 * n−1 messages for the search and one for each edge of the token's way; reliable channels, any order. Rules W1–W6: README.md
 */
import { walker } from '../building-blocks/walking-token.js';
import { flood } from '../building-blocks/wave.js';

export const machine = walker('tree-token', flood); // W2: on a tree, a flood tells each node once
