import { componentsOf } from './components.js';
import { at, type Scope } from './scope.js';

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
