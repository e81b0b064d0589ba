import type { NodeId } from '../protocol/node.js';

/** One stay in the critical section; times in virtual milliseconds. */
export interface Entry {
  readonly node: NodeId;
  readonly requestedAt: number;
  readonly enteredAt: number;
  /** Absent for one that had not left at the end of the run. */
  readonly leftAt?: number;
}

/** How mutual exclusion went. */
export interface ExclusionFigures {
  readonly entries: readonly Entry[];
  /** From the wish to the entry, in ms; undefined when nobody entered. */
  readonly meanWait: number | undefined;
  /** From one node's leaving to the next one's entry while somebody waits, in ms; undefined when nobody ever waited. */
  readonly synchronisationDelay: number | undefined;
  /** Entries that somebody with a later wish went before. 0: all entered in the order of their wishes. */
  readonly overtaken: number;
}

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Reads entries and waiting times off the tags `waiting` and `critical` as nodes change. */
export class ExclusionMeasurement {
  readonly #open = new Map<NodeId, { requestedAt: number; enteredAt?: number }>();
  readonly #entries: Entry[] = [];
  readonly #handOvers: number[] = [];
  #waiting = 0;
  #leftWhileWaited: number | undefined;

  changed(node: NodeId, time: number, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): void {
    const waited = before?.has('waiting') ?? false;
    const waits = after.has('waiting');
    const was = before?.has('critical') ?? false;
    const is = after.has('critical');
    if (waits && !waited) this.#waiting++;
    if (waited && !waits) this.#waiting--;
    if (is && !was) {
      const stay = this.#open.get(node) ?? { requestedAt: time };
      this.#open.set(node, { ...stay, enteredAt: time });
      if (this.#leftWhileWaited !== undefined) this.#handOvers.push(time - this.#leftWhileWaited);
      this.#leftWhileWaited = undefined;
    }
    if (was && !is) {
      const stay = this.#open.get(node);
      this.#open.delete(node);
      if (stay?.enteredAt !== undefined)
        this.#entries.push({ node, requestedAt: stay.requestedAt, enteredAt: stay.enteredAt, leftAt: time });
      if (this.#waiting > 0) this.#leftWhileWaited = time;
    }
    if (waits && !waited) this.#open.set(node, { requestedAt: time });
    if (waited && !waits && !is) {
      this.#open.delete(node);
      if (this.#waiting === 0) this.#leftWhileWaited = undefined; // who was waited for has crashed
    }
  }

  figures(): ExclusionFigures {
    const unfinished = [...this.#open].flatMap(([node, { requestedAt, enteredAt }]) =>
      enteredAt === undefined ? [] : [{ node, requestedAt, enteredAt }],
    );
    const entries = [...this.#entries, ...unfinished].sort((a, b) => a.enteredAt - b.enteredAt);
    let latestRequest = -Infinity;
    let overtaken = 0;
    for (const { requestedAt } of entries) {
      if (requestedAt < latestRequest) overtaken++;
      else latestRequest = requestedAt;
    }
    return {
      entries,
      meanWait: mean(entries.map(({ requestedAt, enteredAt }) => enteredAt - requestedAt)),
      synchronisationDelay: mean(this.#handOvers),
      overtaken,
    };
  }
}
