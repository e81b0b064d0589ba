export { fileJournal } from './file-journal.js';
export { fileStorage, fileStorages, inspectStorage } from './file-storage.js';
