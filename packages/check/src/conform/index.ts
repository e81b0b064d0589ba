export { conform } from './conform.js';
export type { Conformed, ConformOptions } from './conformed.js';
export type { JournalSource } from './journal-reader.js';
