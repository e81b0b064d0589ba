import { at, type DecisionProcess, type Scope } from './decision-process.js';

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

/**
 * Maximal end components (de Alfaro 1997): sets of states in which a scheduler can stay for ever.
 * By state: the number of its component, −1 for none.
 *
 * Choices that may leave their strongly connected component go, and states without choices, and
 * choices that may lead to these; until nothing goes.
 *
 * @param isMember By state: where to look
 * @param isAllowed By choice: what such a scheduler may use
 */
export function endComponents(
  scope: Scope,
  isMember: Uint8Array,
  isAllowed: (choice: number) => boolean,
): Int32Array {
  const removal = new Removal(scope, isMember.slice());
  removal.start(isAllowed);
  for (;;) {
    const { componentOf } = componentsOf(
      scope.process,
      scope.watch,
      removal.isMember,
      removal.isUsed,
    );
    if (!removal.cut(componentOf)) return componentOf;
  }
}

class Removal {
  /** By branch: 1 if its choice is left. */
  readonly isUsed: Uint8Array;
  /** By state: how many of its choices are left. */
  readonly #left: Int32Array;
  readonly #agenda: number[] = [];

  constructor(
    private readonly scope: Scope,
    /** By state: 1 if it is left. */
    readonly isMember: Uint8Array,
  ) {
    this.isUsed = new Uint8Array(scope.process.targets.length);
    this.#left = new Int32Array(scope.process.states);
  }

  start(isAllowed: (choice: number) => boolean): void {
    const { firstChoice, firstBranch, targets } = this.scope.process;
    for (const state of this.scope.reached) {
      if (this.isMember[state] === 0) continue;
      for (let choice = at(firstChoice, state); choice < at(firstChoice, state + 1); choice++) {
        const [begin, end] = [at(firstBranch, choice), at(firstBranch, choice + 1)];
        let stays = isAllowed(choice);
        for (let branch = begin; branch < end && stays; branch++)
          stays = this.isMember[at(targets, branch)] === 1;
        if (!stays) continue;
        this.isUsed.fill(1, begin, end);
        this.#left[state] = at(this.#left, state) + 1;
      }
      if (this.#left[state] === 0) this.#agenda.push(state);
    }
    this.#removeStates();
  }

  /** Removes the choices that leave their component; false if there is none. */
  cut(componentOf: Int32Array): boolean {
    const { firstChoice, firstBranch, targets } = this.scope.process;
    let isCut = false;
    for (const state of this.scope.reached) {
      if (this.isMember[state] === 0) continue;
      this.scope.watch.tick();
      for (let choice = at(firstChoice, state); choice < at(firstChoice, state + 1); choice++) {
        const [begin, end] = [at(firstBranch, choice), at(firstBranch, choice + 1)];
        if (this.isUsed[begin] === 0) continue;
        let stays = true;
        for (let branch = begin; branch < end && stays; branch++)
          stays = componentOf[at(targets, branch)] === componentOf[state];
        if (stays) continue;
        isCut = true;
        this.#removeChoice(choice);
      }
    }
    this.#removeStates();
    return isCut;
  }

  #removeChoice(choice: number): void {
    const { owners, process } = this.scope;
    const [begin, end] = [at(process.firstBranch, choice), at(process.firstBranch, choice + 1)];
    if (this.isUsed[begin] === 0) return;
    this.isUsed.fill(0, begin, end);
    const owner = at(owners, choice);
    this.#left[owner] = at(this.#left, owner) - 1;
    if (this.#left[owner] === 0) this.#agenda.push(owner);
  }

  #removeStates(): void {
    const { firstIncoming, incoming } = this.scope;
    for (let state = this.#agenda.pop(); state !== undefined; state = this.#agenda.pop()) {
      this.isMember[state] = 0;
      for (let place = at(firstIncoming, state); place < at(firstIncoming, state + 1); place++)
        this.#removeChoice(at(incoming, place));
    }
  }
}
