/** Unstable: for the packages of this house only, of the same version. */
export { combinedBy } from '../protocol/regions.js';
export {
  actionsText,
  eventText,
  guardText,
  pathOf,
  type Reaction,
  reactions,
  transitionKey,
} from './reactions.js';
