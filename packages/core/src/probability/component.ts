import type { Equations } from './equations.js';
import { at } from './scope.js';

/** A strongly connected component of equations, whose other states have values already. */
export class Component {
  constructor(
    readonly equations: Equations,
    readonly members: Int32Array,
    /** By state: its place in `members`; −1 for the states of other components. */
    readonly places: Int32Array,
  ) {}

  /** How many choices and branches its members have. */
  count(): { readonly choices: number; readonly branches: number } {
    const { firstChoice, firstBranch } = this.equations;
    let [choices, branches] = [0, 0];
    for (const state of this.members) {
      const [begin, end] = [at(firstChoice, state), at(firstChoice, state + 1)];
      choices += end - begin;
      branches += at(firstBranch, end) - at(firstBranch, begin);
    }
    return { choices, branches };
  }

  /** Whether the values that it leads to are known exactly. */
  leadsToExact(isExact: (state: number) => boolean): boolean {
    const { firstChoice, firstBranch, targets } = this.equations;
    for (const state of this.members) {
      const end = at(firstBranch, at(firstChoice, state + 1));
      for (let branch = at(firstBranch, at(firstChoice, state)); branch < end; branch++) {
        const target = at(targets, branch);
        if (this.places[target] === -1 && !isExact(target)) return false;
      }
    }
    return true;
  }

  /** A scheduler that leaves the component with probability 1: by place, the choice it takes. */
  leavingPolicy(): Int32Array {
    const { members, places } = this;
    const { firstChoice } = this.equations;
    const policy = new Int32Array(members.length).fill(-1);
    let open = [...members.keys()];
    for (let isLast = false; open.length > 0 && !isLast; ) {
      const found: [place: number, choice: number][] = [];
      for (const place of open) {
        const state = at(members, place);
        for (let choice = at(firstChoice, state); choice < at(firstChoice, state + 1); choice++)
          if (
            this.#leadsTo(
              choice,
              (next) => at(places, next) === -1 || policy[at(places, next)] !== -1,
            )
          ) {
            found.push([place, choice]);
            break;
          }
      }
      for (const [place, choice] of found) policy[place] = choice;
      open = open.filter((place) => policy[place] === -1);
      isLast = found.length === 0;
    }
    return policy;
  }

  #leadsTo(choice: number, isTarget: (state: number) => boolean): boolean {
    const { firstBranch, targets } = this.equations;
    for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++)
      if (isTarget(at(targets, branch))) return true;
    return false;
  }
}
