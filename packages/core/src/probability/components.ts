import type { DecisionProcess } from './decision-process.js';
import { at } from './scope.js';

/** Strongly connected components. */
export interface Components {
  /** The states, by component; a component comes after those that it leads to. */
  readonly members: Int32Array;
  /** The members of component k: members[first[k]] … members[first[k + 1] − 1]. */
  readonly first: Int32Array;
  /** By state: its component, −1 for a state that was left out. */
  readonly componentOf: Int32Array;
}

type Arrays = Pick<DecisionProcess, 'states' | 'firstChoice' | 'firstBranch' | 'targets'>;

/**
 * The strongly connected components of some states and branches (Tarjan 1972), without recursion.
 *
 * @param isMember By state; all, if omitted
 * @param isUsed By branch; all, if omitted
 */
export function componentsOf(
  process: Arrays,
  watch: { tick(weight?: number): void },
  isMember?: Uint8Array,
  isUsed?: Uint8Array,
): Components {
  const tarjan = new Tarjan(process, isMember, isUsed);
  for (let root = 0; root < process.states; root++) {
    if (isMember?.[root] === 0 || tarjan.isEntered(root)) continue;
    tarjan.enter(root);
    while (tarjan.proceed()) watch.tick();
  }
  return tarjan.components();
}

class Tarjan {
  /** By state: the order of entry, from 1. */
  readonly #entered: Int32Array;
  /** By state: the earliest state on the stack that it reaches. */
  readonly #low: Int32Array;
  /** By state: the next branch to follow. */
  readonly #next: Int32Array;
  readonly #componentOf: Int32Array;
  readonly #members: Int32Array;
  readonly #first: Int32Array;
  readonly #stack: Int32Array;
  readonly #calls: Int32Array;
  #clock = 0;
  #done = 0;
  #count = 0;
  #stacked = 0;
  #called = 0;

  constructor(
    private readonly process: Arrays,
    private readonly isMember: Uint8Array | undefined,
    private readonly isUsed: Uint8Array | undefined,
  ) {
    const { states } = process;
    const column = () => new Int32Array(states);
    [this.#entered, this.#low, this.#next, this.#members] = [
      column(),
      column(),
      column(),
      column(),
    ];
    [this.#stack, this.#calls] = [column(), column()];
    this.#first = new Int32Array(states + 1);
    this.#componentOf = column().fill(-1);
  }

  isEntered(state: number): boolean {
    return this.#entered[state] !== 0;
  }

  enter(state: number): void {
    const { firstBranch, firstChoice } = this.process;
    this.#entered[state] = this.#low[state] = ++this.#clock;
    this.#next[state] = at(firstBranch, at(firstChoice, state));
    this.#stack[this.#stacked++] = state;
    this.#calls[this.#called++] = state;
  }

  /** Follows the branches of the last call until one leads on, or all are followed. */
  proceed(): boolean {
    if (this.#called === 0) return false;
    const { firstBranch, firstChoice, targets } = this.process;
    const state = at(this.#calls, this.#called - 1);
    const end = at(firstBranch, at(firstChoice, state + 1));
    let low = at(this.#low, state);
    for (let branch = at(this.#next, state); branch < end; branch++) {
      const target = at(targets, branch);
      if (this.isUsed?.[branch] === 0 || this.isMember?.[target] === 0) continue;
      if (this.#entered[target] === 0) {
        this.#next[state] = branch + 1;
        this.#low[state] = low;
        this.enter(target);
        return true;
      }
      if (this.#componentOf[target] === -1) low = Math.min(low, at(this.#low, target));
    }
    this.#low[state] = low;
    this.#return(state, low);
    return true;
  }

  #return(state: number, low: number): void {
    this.#called--;
    if (this.#called > 0) {
      const caller = at(this.#calls, this.#called - 1);
      this.#low[caller] = Math.min(at(this.#low, caller), low);
    }
    if (low !== this.#entered[state]) return;
    for (let member = -1; member !== state; ) {
      member = at(this.#stack, --this.#stacked);
      this.#componentOf[member] = this.#count;
      this.#members[this.#done++] = member;
    }
    this.#first[++this.#count] = this.#done;
  }

  components(): Components {
    return {
      members: this.#members.slice(0, this.#done),
      first: this.#first.slice(0, this.#count + 1),
      componentOf: this.#componentOf,
    };
  }
}
