import type { CostGraph } from './cost-graph.js';
import { drnText } from './drn-text.js';
import { prismTexts } from './prism-texts.js';

/** Of another model checker: one `.drn` for Storm; `.tra`, `.lab` and `.trew` for PRISM. */
export type GraphFormat = 'drn' | 'prism';

/** The texts of its files, by their ending. */
export type GraphTexts = Readonly<Record<string, string>>;

export const graphTexts = (format: GraphFormat, graph: CostGraph): GraphTexts =>
  format === 'drn' ? { '.drn': drnText(graph) } : prismTexts(graph);
