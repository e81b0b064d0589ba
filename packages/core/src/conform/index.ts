export type { Complaint, ComplaintKind } from './complaint.js';
export { conform, readJournalHeader } from './conform.js';
export type { Conformed, ConformOptions, JournalChecked } from './conformed.js';
export type { JournalSource } from './journal-reader.js';
