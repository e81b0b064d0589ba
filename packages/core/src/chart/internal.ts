/** For the packages of this repository, of the same version: without promise. */
export { pathOf } from './mermaid-text.js';
export { actionsText, type Reaction, reactions } from './reaction.js';
