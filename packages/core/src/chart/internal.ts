/** For the packages of this repository, of the same version: without promise. */
export { combinedBy } from '../protocol/regions.js';
export { actionsText, guardText, pathOf, type Reaction, reactions } from './mermaid.js';
