import type { NodeId } from '@conclave/core/protocol';

/**
 * Remembers for all processes which tick of a job was started last: one text by name, that is
 * replaced by compare and set. A row of a database, a key of a key-value store; `fileTicks` for the
 * processes of one machine.
 *
 * @example const store = { read: async (name) => (await sql`SELECT record FROM ticks WHERE name =
 * ${name}`)[0]?.record, write: async (name, next, previous) => (previous === undefined ? await
 * sql`INSERT INTO ticks VALUES (${name}, ${next}) ON CONFLICT DO NOTHING` : await sql`UPDATE ticks
 * SET record = ${next} WHERE name = ${name} AND record = ${previous}`).count === 1 };
 */
export interface TickStore {
  /** The text of the last `write` that was true; undefined where there is none. */
  read(name: string): string | undefined | Promise<string | undefined>;
  /**
   * Replaces the text by `next` if it is still `previous`, in one atomic step; `previous` is
   * undefined where there must be none. Returns whether it did, when the text is durable.
   */
  write(name: string, next: string, previous: string | undefined): boolean | Promise<boolean>;
}

/** Ticks in the memory of this process: for tests, and for several nodes in one process. */
export function memoryTicks(): TickStore {
  const texts = new Map<string, string>();
  return {
    read: (name) => texts.get(name),
    write: (name, next, previous) => {
      if (texts.get(name) !== previous) return false;
      texts.set(name, next);
      return true;
    },
  };
}

/** What the text says. */
export interface TickRecord {
  /** All ticks up to this time, in Unix milliseconds, were started or skipped. */
  readonly tick: number;
  /** The fencing token of the leader that wrote it; 0 where its protocol has none. */
  readonly token: number;
  readonly node: NodeId;
  /** Whether the run of the tick has ended. */
  readonly done: boolean;
}

export const textOf = ({ tick, token, node, done }: TickRecord): string =>
  JSON.stringify({ tick, token, node, done });

/** Undefined where the text is no record. */
export function recordIn(text: string): TickRecord | undefined {
  try {
    const { tick, token, node, done }: Readonly<Record<string, unknown>> = Object(JSON.parse(text));
    return typeof tick === 'number' &&
      typeof token === 'number' &&
      typeof node === 'string' &&
      typeof done === 'boolean'
      ? { tick, token, node, done }
      : undefined;
  } catch {
    return undefined;
  }
}
