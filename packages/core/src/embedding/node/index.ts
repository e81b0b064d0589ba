export { fileJournal } from './file-journal.js';
export { fileStorage, fileStorages } from './file-storage.js';
