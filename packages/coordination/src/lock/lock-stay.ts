import type { Embedded } from '@conclave/core/embedding';
import type { ConclaveError, Protocol } from '@conclave/core/protocol';
import { Holding, hasNoToken, type LockLost } from './lock-held.js';
import type { Entry } from './lock-metrics.js';

/**
 * For how many milliseconds a node may stay in its critical section, as long as it renews nothing.
 */
function remainingOf(
  { leases }: Protocol,
  { state, timers }: Pick<Embedded, 'state' | 'timers'>,
): number {
  if (!state.tags.has('critical')) return 0;
  if (!leases || timers.size === 0) return Infinity;
  const ends = leases(state).map((path) => `.${path}`);
  const left = [...timers]
    .filter(([timer]) => ends.some((end) => timer.endsWith(end)))
    .map(([, ms]) => ms);
  return Math.max(0, ...left);
}

/** The calls of one node that have the lock: none, one, or several that share it. */
export class Stay {
  readonly #entries = new Map<Holding, Entry | undefined>();
  readonly #owner;
  #shared = false;

  constructor(
    private readonly protocol: Protocol,
    private readonly node: Embedded,
    giveBack: (holding: Holding) => void,
  ) {
    this.#owner = { giveBack, remaining: (holding: Holding) => this.#remaining(holding) };
  }

  get isOver(): boolean {
    return this.#entries.size === 0;
  }

  /** Whether calls that share may join those that are inside. */
  get isShared(): boolean {
    return this.#shared && !this.isOver;
  }

  /** So that those which share do not keep out others for ever. */
  mayJoin(call: Entry | undefined): boolean {
    return (
      this.isShared &&
      call?.shared === true &&
      !this.protocol.contenders?.(this.node.state).waiting.length
    );
  }

  has(holding: Holding): boolean {
    return this.#entries.has(holding);
  }

  /** Why nobody may enter. */
  get objection(): ConclaveError | undefined {
    const token = this.protocol.fence?.(this.node.state) ?? 0;
    return Number.isSafeInteger(token) ? undefined : hasNoToken(this.node.id, token);
  }

  enter(entry: Entry | undefined): Holding {
    const { fence, fenceCondition } = this.protocol;
    const holding = new Holding(fence?.(this.node.state), fenceCondition, this.#owner);
    this.#shared = entry?.shared ?? false;
    this.#entries.set(holding, entry);
    entry?.acquired(holding.fencingToken);
    return holding;
  }

  leave(holding: Holding): void {
    this.#entries.get(holding)?.released();
    this.#entries.delete(holding);
  }

  lose(error: LockLost): void {
    const lost = [...this.#entries];
    this.#entries.clear();
    for (const [holding, entry] of lost) {
      entry?.lost(error);
      holding.lose(error);
    }
  }

  #remaining(holding: Holding): number {
    this.node.settle();
    return this.has(holding) ? remainingOf(this.protocol, this.node) : 0;
  }
}
