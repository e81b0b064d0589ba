import { at, type DecisionProcess, type Extreme, type Scope } from './decision-process.js';

/**
 * The Bellman equations of a question, with one solution: the value of a state is the extreme, over
 * its choices, of the mean of cost and value of the target, over its branches. They are a process
 * of the states whose value is not known, and of two more, whose values are 0 and 1.
 */
export interface Equations extends DecisionProcess {
  readonly extreme: Extreme;
  /** The state that the question is about. */
  readonly initial: number;
  /** How many states have an equation. States {@link unknown} and the next have the values 0 and 1. */
  readonly unknown: number;
  /** No value is larger. */
  readonly most: number;
}

/** By state: what is known from the graph. */
export const unknown = 0;
export const isZero = 1;
export const isOne = 2;

interface Parts {
  readonly extreme: Extreme;
  /** By state: {@link unknown}, {@link isZero} or {@link isOne}. */
  readonly known: Uint8Array;
  /** By state: the number of its component of states that share one value, −1 for none. */
  readonly shared: Int32Array | undefined;
  /** By choice: 0 for one that no scheduler uses; all, if undefined. */
  readonly isAllowed: Uint8Array | undefined;
  /** Whether branches cost something here. */
  readonly hasCosts: boolean;
}

/**
 * The equations of a question. States that share a value become one, with the choices that lead
 * out of them. Free choices that stay in one place are left out: they would let the equations have
 * more than one solution.
 */
export function equationsOf(scope: Scope, parts: Parts): Equations {
  const { classOf, count } = classes(scope, parts);
  const { choices, firstChoice } = choicesByClass(scope, parts, classOf, count);
  const { process } = scope;
  const firstBranch = new Int32Array(choices.length + 1);
  for (let index = 0; index < choices.length; index++) {
    const choice = at(choices, index);
    const size = at(process.firstBranch, choice + 1) - at(process.firstBranch, choice);
    firstBranch[index + 1] = at(firstBranch, index) + size;
  }
  const branches = at(firstBranch, choices.length);
  const targets = new Int32Array(branches);
  const weights = new Float64Array(branches);
  const costs = new Float64Array(branches);
  for (let index = 0; index < choices.length; index++) {
    const choice = at(choices, index);
    let place = at(firstBranch, index);
    for (
      let branch = at(process.firstBranch, choice);
      branch < at(process.firstBranch, choice + 1);
      branch++, place++
    ) {
      targets[place] = at(classOf, at(process.targets, branch));
      weights[place] = at(process.weights, branch);
      if (parts.hasCosts) costs[place] = at(process.costs, branch);
    }
  }
  return {
    extreme: parts.extreme,
    initial: at(classOf, scope.initial),
    unknown: count,
    most: parts.hasCosts ? Infinity : 1,
    states: count + 2,
    firstChoice,
    firstBranch,
    targets,
    weights,
    costs,
  };
}

/** By state: its number in the equations. */
function classes({ process, reached }: Scope, { known, shared }: Parts) {
  const classOf = new Int32Array(process.states).fill(-1);
  const ofShared = new Map<number, number>();
  let count = 0;
  for (const state of reached) {
    if (known[state] !== unknown) continue;
    const component = shared?.[state] ?? -1;
    const found = component === -1 ? undefined : ofShared.get(component);
    classOf[state] = found ?? count++;
    if (component !== -1) ofShared.set(component, at(classOf, state));
  }
  for (const state of reached)
    if (known[state] !== unknown) classOf[state] = known[state] === isZero ? count : count + 1;
  return { classOf, count };
}

/** The choices of the process that are used, in the order of their states in the equations. */
function choicesByClass(scope: Scope, parts: Parts, classOf: Int32Array, count: number) {
  const { process, reached } = scope;
  const firstChoice = new Int32Array(count + 3);
  const forChoices = (visit: (choice: number, state: number) => void): void => {
    for (const state of reached) {
      if (parts.known[state] !== unknown) continue;
      scope.watch.tick();
      for (
        let choice = at(process.firstChoice, state);
        choice < at(process.firstChoice, state + 1);
        choice++
      )
        if (parts.isAllowed?.[choice] !== 0 && !isIdle(process, parts, classOf, choice, state))
          visit(choice, at(classOf, state));
    }
  };
  forChoices((_, state) => {
    firstChoice[state + 1] = at(firstChoice, state + 1) + 1;
  });
  for (let state = 0; state < count + 2; state++)
    firstChoice[state + 1] = at(firstChoice, state + 1) + at(firstChoice, state);
  const next = firstChoice.slice();
  const choices = new Int32Array(at(firstChoice, count));
  forChoices((choice, state) => {
    const place = at(next, state);
    choices[place] = choice;
    next[state] = place + 1;
  });
  return { choices, firstChoice };
}

/** Whether a choice stays in its place and costs nothing. */
function isIdle(
  { firstBranch, targets, costs }: DecisionProcess,
  { hasCosts }: Parts,
  classOf: Int32Array,
  choice: number,
  state: number,
): boolean {
  for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++)
    if (classOf[at(targets, branch)] !== classOf[state] || (hasCosts && costs[branch] !== 0))
      return false;
  return true;
}

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
