/** Where programs keep what they have in common: the lease of a lock, the last tick of a job. */
import { filter, map, type Observable, Subject, startWith } from 'rxjs';

/**
 * One text by name, that is replaced by compare and set: a row of a database, a key of a key-value
 * store, a file.
 *
 * @example
 * const store = {
 *   read: async (name) => (await sql`SELECT record FROM ticks WHERE name = ${name}`)[0]?.record,
 *   write: async (name, next, previous) => {
 *     const { count } = await (previous === undefined
 *       ? sql`INSERT INTO ticks VALUES (${name}, ${next}) ON CONFLICT DO NOTHING`
 *       : sql`UPDATE ticks SET record = ${next} WHERE name = ${name} AND record = ${previous}`);
 *     return count === 1;
 *   },
 * };
 */
export interface Store {
  /** The text of the last `write` that was true; undefined where there is none. */
  read(name: string): string | undefined | Promise<string | undefined>;
  /**
   * Replaces the text by `next` if it is still `previous`, in one atomic step; `previous` is
   * undefined where there must be none. Returns whether it did, when the text is durable.
   */
  write(name: string, next: string, previous: string | undefined): boolean | Promise<boolean>;
  /**
   * Tells of writes by any program, where the store can: first `undefined` once, when it begins to,
   * then each new text, or `undefined` where it does not know the text. A program that waits then
   * looks at once, and else now and then: what comes is a hint, which may be late, repeated or
   * missing. It ends where it cannot tell, or cannot tell any longer; its last subscriber that leaves
   * closes what it has opened.
   */
  watch?(name: string): Observable<string | undefined>;
}

/** A store in the memory of this process: for tests, and for several nodes in one process. */
export function memoryStore(): Store {
  const texts = new Map<string, string>();
  const writes = new Subject<{ readonly name: string; readonly text: string }>();
  return {
    read: (name) => texts.get(name),
    write: (name, next, previous) => {
      if (texts.get(name) !== previous) return false;
      texts.set(name, next);
      writes.next({ name, text: next });
      return true;
    },
    watch: (name) =>
      writes.pipe(
        filter((write) => write.name === name),
        map(({ text }) => text),
        startWith(undefined),
      ),
  };
}
