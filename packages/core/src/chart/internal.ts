/** For the packages of this repository, of the same version: without promise. */
export { combinedBy } from '../protocol/regions.js';
export {
  actionsText,
  eventText,
  guardText,
  pathOf,
  type Reaction,
  reactions,
  transitionKey,
} from './mermaid.js';
