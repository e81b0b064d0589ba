import { answerOf } from '../protocol/answer.js';
import type { NodeId } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { SimulationResult } from './result.js';

type Figures = SimulationResult['exclusion'];

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Measures entries and waiting times. A node is in its critical section where it is tagged
 * `critical`.
 */
export class ExclusionMeasurement {
  /** By place of the node, as the sets below: numbers are found faster than ids. */
  readonly #open = new Map<number, { requestedAt: number; enteredAt?: number }>();
  readonly #entries: Figures['entries'][number][] = [];
  readonly #handOvers: number[] = [];
  readonly #waiting = new Set<number>();
  readonly #critical = new Set<number>();
  #leftWhileWaited: number | undefined;

  /**
   * @param waits Whether a node waits, as the protocol says it. Undefined: where it is tagged
   * `waiting`.
   */
  constructor(
    private readonly ids: readonly NodeId[],
    private readonly waits: Protocol['waiting'],
  ) {}

  /** Whether {@link changed} is to be called after each step, even if the tags stay. */
  get followsStates(): boolean {
    return typeof this.waits === 'function';
  }

  /** How many nodes wait now. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** `tags`: those of the node now; none where it has crashed. */
  changed(node: number, tags: ReadonlySet<string>, view: () => NodeView, time: number): void {
    const waited = this.#waiting.has(node);
    const waits = this.waits === undefined ? tags.has('waiting') : this.#waits(view());
    const was = this.#critical.has(node);
    const is = tags.has('critical');
    if (waits && !waited) this.#waiting.add(node);
    if (waited && !waits) this.#waiting.delete(node);
    if (is && !was) this.#enter(node, time);
    if (was && !is) this.#leave(node, time);
    if (waits && !waited) this.#open.set(node, { requestedAt: time });
    if (waited && !waits && !is) {
      this.#open.delete(node);
      // the last waiting node has crashed or given up
      if (this.#waiting.size === 0) this.#leftWhileWaited = undefined;
    }
  }

  #enter(node: number, time: number): void {
    this.#critical.add(node);
    const stay = this.#open.get(node) ?? { requestedAt: time };
    this.#open.set(node, { ...stay, enteredAt: time });
    if (this.#leftWhileWaited !== undefined) this.#handOvers.push(time - this.#leftWhileWaited);
    this.#leftWhileWaited = undefined;
  }

  #leave(node: number, time: number): void {
    this.#critical.delete(node);
    const { requestedAt, enteredAt } = this.#open.get(node) ?? {};
    this.#open.delete(node);
    if (requestedAt !== undefined && enteredAt !== undefined)
      this.#entries.push({ node: this.#id(node), requestedAt, enteredAt, leftAt: time });
    if (this.#waiting.size > 0) this.#leftWhileWaited = time;
  }

  #id(node: number): NodeId {
    return this.ids[node] as NodeId; // a place in the topology
  }

  #waits(node: NodeView): boolean {
    if (node.crashed || typeof this.waits !== 'function') return false;
    return answerOf({ name: 'waiting' }, this.waits, node);
  }

  figures(): Figures {
    const unfinished = [...this.#open].flatMap(([node, { requestedAt, enteredAt }]) =>
      enteredAt === undefined ? [] : [{ node: this.#id(node), requestedAt, enteredAt }],
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
