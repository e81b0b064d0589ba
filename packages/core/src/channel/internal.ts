/** For the packages of this repository, of the same version: without promise. */
export { parseDelay } from './conditions.js';
export { groupsOf, partialSends } from './partial-sends.js';
export { reliableLink } from './reliable/protocol.js';
