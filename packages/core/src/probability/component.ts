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

  /**
   * A scheduler that leaves the component with probability 1: by place, the choice that it takes.
   * Where one can leave it by the choices that are preferred, it takes these.
   */
  leavingPolicy(preferred?: Int32Array): Int32Array {
    const policy = new Int32Array(this.members.length).fill(-1);
    const incoming = this.#incoming();
    if (preferred) this.#attract(policy, incoming, (choice, place) => preferred[place] === choice);
    this.#attract(policy, incoming, () => true);
    return policy;
  }

  /** Gives a choice to each place that may reach, by usable choices, what has one or is outside. */
  #attract(
    policy: Int32Array,
    { first, choices, owners }: Incoming,
    isUsable: (choice: number, place: number) => boolean,
  ): void {
    const outside = this.members.length;
    const agenda = [outside, ...policy.keys()].filter((place) => policy[place] !== -1);
    for (let target = agenda.pop(); target !== undefined; target = agenda.pop())
      for (let index = at(first, target); index < at(first, target + 1); index++) {
        const [place, choice] = [at(owners, index), at(choices, index)];
        if (policy[place] !== -1 || !isUsable(choice, place)) continue;
        policy[place] = choice;
        agenda.push(place);
      }
  }

  /** The choices that lead to each place, and at last those that lead outside. */
  #incoming(): Incoming {
    const { equations, members, places } = this;
    const { firstChoice, firstBranch, targets } = equations;
    const outside = members.length;
    const first = new Int32Array(outside + 2);
    const forBranches = (visit: (place: number, choice: number, target: number) => void): void => {
      for (const [place, state] of members.entries())
        for (let choice = at(firstChoice, state); choice < at(firstChoice, state + 1); choice++)
          for (
            let branch = at(firstBranch, choice);
            branch < at(firstBranch, choice + 1);
            branch++
          ) {
            const target = at(places, at(targets, branch));
            visit(place, choice, target === -1 ? outside : target);
          }
    };
    forBranches((_, __, target) => {
      first[target + 1] = at(first, target + 1) + 1;
    });
    for (let target = 0; target <= outside; target++)
      first[target + 1] = at(first, target + 1) + at(first, target);
    const next = first.slice();
    const choices = new Int32Array(at(first, outside + 1));
    const owners = new Int32Array(choices.length);
    forBranches((place, choice, target) => {
      const index = at(next, target);
      choices[index] = choice;
      owners[index] = place;
      next[target] = index + 1;
    });
    return { first, choices, owners };
  }
}

interface Incoming {
  readonly first: Int32Array;
  readonly choices: Int32Array;
  /** Their places. */
  readonly owners: Int32Array;
}
