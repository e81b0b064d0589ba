/** For the packages of this repository, of the same version: without promise. */
export { readJournalHeader } from './conform.js';
