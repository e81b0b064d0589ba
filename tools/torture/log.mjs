/**
 * The logs of a run: lines of words, the first of which is a time of the machine's monotonic clock,
 * which all processes share, in microseconds.
 *
 * entries.log  the processes: wait, enter, leave, lost, stall, …
 * store.log    the store: read, write
 * harness.log  the harness: processes and faults
 */
import { openSync, writeSync } from 'node:fs';

export const now = () => Number(process.hrtime.bigint() / 1000n);

/**
 * Appends lines, each by one write: lines of several processes do not mix, and a line that was
 * written survives the process.
 */
export function appender(path) {
  const file = openSync(path, 'a');
  return (...words) => {
    const time = now();
    writeSync(file, `${time} ${words.join(' ')}\n`);
    return time;
  };
}

/** The text after the words of a line that are fixed: no blanks. */
export const word = (text) => String(text).replaceAll(/\s+/g, '_').slice(0, 300) || '-';
