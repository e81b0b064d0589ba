/** For the packages of this repository, of the same version: without promise. */
export { combinedBy } from '../protocol/combined-guard.js';
export { pathOf } from './mermaid-text.js';
export { actionsText, guardText, type Reaction, reactions } from './reaction.js';
