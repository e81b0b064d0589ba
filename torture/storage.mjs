import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
export function fileStorage(path) {
  const temporary = `${path}.new`;
  return {
    read() { try { return JSON.parse(readFileSync(path, 'utf8')); } catch { return undefined; } },
    write(record) {
      const file = openSync(temporary, 'w');
      writeSync(file, JSON.stringify(record));
      fsyncSync(file);
      closeSync(file);
      renameSync(temporary, path);
    },
  };
}
