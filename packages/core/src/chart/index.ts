export { chart, type FoldedRegions } from './mermaid.js';
export { pathOf } from './mermaid-text.js';
export { actionsText, type Reaction, reactions } from './reaction.js';
export { type SpecifiedPart, specification } from './specification.js';
