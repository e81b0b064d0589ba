/**
 * A token that is sought by echo waves over any connected network (F. Mattern: Verteilte Algorithmen, lecture notes, 1999/2000; the wave:
 * E. J. H. Chang, IEEE TSE 8:4, 1982). 2e messages for the search and one for each edge of the token's way; reliable channels, any order.
 * Rules W1–W6 and E1–E3: README.md
 */
import { countOf } from '../building-blocks/token-knowledge.js';
import { walker } from '../building-blocks/walking-token.js';
import { flood, type Wave } from '../building-blocks/wave.js';

/** A flood that comes back: whoever has heard from all neighbours answers the one that it heard from first. */
export const echo: Wave = {
  begun: (node) => ({
    ...flood.begun(node),
    known: { awaited: { ...node.awaited, [node.self]: node.neighbours.length } },
  }),
  heard: (node, message) => {
    const { initiator, k, from } = message;
    const told = flood.heard(node, message);
    const isNews = told.known.requested !== undefined;
    const isOfLatest = k === countOf(node.requested, initiator);
    const left = (isNews ? node.neighbours.length : isOfLatest ? countOf(node.awaited ?? {}, initiator) : 0) - 1; // E1
    if (left < 0) return told; // E3
    const first = isNews ? from : node.towards[initiator];
    return {
      known: { ...told.known, awaited: { ...node.awaited, [initiator]: left } },
      sent: left > 0 || first === undefined ? told.sent : [...told.sent, [first, { type: 'echo', initiator, k }]], // E1, E2
    };
  },
  comesBack: true,
};

export const machine = walker('echo-token', echo);
