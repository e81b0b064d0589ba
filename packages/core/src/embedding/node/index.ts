export { type FileJournalOptions, fileJournal } from './file-journal.js';
export { fileStorage } from './file-storage.js';
