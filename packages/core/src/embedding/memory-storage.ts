import { RecordText } from './record-text.js';
import type { StableRecord, StableStorage } from './storage.js';

/**
 * Stable storage in memory, for tests: it survives a restart of the node, not of the process.
 *
 * @example
 * const disk = memoryStorage();
 * await embed(protocol, { self: 'a', peers, transport, storage: disk }).close();
 * embed(protocol, { self: 'a', peers, transport: another, storage: disk }).incarnation; // larger
 */
export function memoryStorage(): StableStorage {
  const texts = new RecordText();
  let written: string | undefined;
  return {
    // as it was written
    read: () => (written === undefined ? undefined : (JSON.parse(written) as StableRecord)),
    write: (record) => {
      written = texts.of(record);
    },
  };
}
