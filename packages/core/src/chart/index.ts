export { chart } from './mermaid.js';
export { pathOf } from './mermaid-text.js';
export { actionsText, type Reaction, reactions } from './reaction.js';
export { specification } from './specification.js';
