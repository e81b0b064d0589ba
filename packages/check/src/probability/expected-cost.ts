import { endComponents } from './components.js';
import {
  at,
  checkProcess,
  type DecisionProcess,
  type Lasso,
  type Question,
  type Scope,
  scopeOf,
  type Value,
} from './decision-process.js';
import { type Equations, equationsOf, isZero, unknown } from './equations.js';
import { canReach, canSurelyReach, complement, mayAlwaysReach } from './reach-probability.js';
import { solve } from './solve.js';

/**
 * The expected sum of the costs until the goal is reached: the least or the greatest over all
 * schedulers. A run that never reaches the goal costs more than any number.
 */
export function expectedCost(process: DecisionProcess, question: Question): Value {
  checkProcess(process);
  const scope = scopeOf(process, question);
  const found = question.extreme === 'greatest' ? greatestCost(scope) : leastCost(scope);
  return found.kind === 'infinite' ? found : solve(found.equations, scope.watch);
}

/** The equations of the expected cost, or why it is infinite. */
type Cost =
  | { readonly kind: 'finite'; readonly equations: Equations }
  | { readonly kind: 'infinite'; readonly lasso: Lasso };

/** Infinite if a scheduler may keep a state that is reached from the goal. */
export function greatestCost(scope: Scope): Cost {
  const trap = complement(scope, mayAlwaysReach(scope, scope.goal));
  if (trap.includes(1)) return { kind: 'infinite', lasso: lassoInto(scope, trap, scope.isOpen) };
  const equations = equationsOf(scope, {
    extreme: 'greatest',
    known: scope.isOpen.map((isOpen) => (isOpen === 1 ? unknown : isZero)),
    shared: undefined,
    isAllowed: undefined,
    hasCosts: true,
  });
  return { kind: 'finite', equations };
}

/**
 * Infinite if no scheduler reaches the goal with probability 1. The others keep to the states from
 * which that is possible. Of these, all states of an end component without costs have the same
 * value. Once each is one state, the equations have one solution (Bertsekas & Tsitsiklis: An
 * analysis of stochastic shortest path problems, 1991; Baier et al.: Ensuring the reliability of
 * your model checker, 2017).
 */
export function leastCost(scope: Scope): Cost {
  const sure = canSurelyReach(scope, scope.goal);
  if (sure.states[scope.initial] === 0) {
    const trap = complement(scope, canReach(scope, scope.goal));
    return { kind: 'infinite', lasso: lassoInto(scope, trap, complement(scope, sure.states)) };
  }
  return { kind: 'finite', equations: leastEquations(scope, sure) };
}

function leastEquations(
  scope: Scope,
  { states, isAllowed }: { readonly states: Uint8Array; readonly isAllowed: Uint8Array },
): Equations {
  const { firstBranch, costs } = scope.process;
  const isUnknown = scope.isOpen.map((isOpen, state) => (isOpen === 1 ? at8(states, state) : 0));
  const isFree = (choice: number): boolean => {
    if (isAllowed[choice] === 0) return false;
    for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++)
      if (costs[branch] !== 0) return false;
    return true;
  };
  return equationsOf(scope, {
    extreme: 'least',
    known: isUnknown.map((is) => (is === 1 ? unknown : isZero)),
    shared: endComponents(scope, isUnknown, isFree),
    isAllowed,
    hasCosts: true,
  });
}

const at8 = (array: Uint8Array, index: number): number => array[index] as number; // by state

/**
 * A shortest path through `within` to `trap`, and on in the trap until a state repeats or has no
 * choices.
 *
 * @param trap By state: a set where each state is an end, or has a choice that stays in it
 * @param within By state: where the path may go; it leads from the initial state to the trap
 */
function lassoInto(scope: Scope, trap: Uint8Array, within: Uint8Array): Lasso {
  const branches = pathInto(scope, trap, within);
  const { targets } = scope.process;
  const last = branches.at(-1);
  const visits = new Map<number, number>();
  let state = last === undefined ? scope.initial : at(targets, last);
  for (;;) {
    const seen = visits.get(state);
    if (seen !== undefined) return { branches, loopsFrom: seen };
    visits.set(state, branches.length);
    const branch = stayingBranch(scope, trap, state);
    if (branch === undefined) return { branches, loopsFrom: branches.length };
    branches.push(branch);
    state = at(targets, branch);
  }
}

/** The first branch of the first choice that stays in the trap. */
function stayingBranch({ process }: Scope, trap: Uint8Array, state: number): number | undefined {
  const { firstChoice, firstBranch, targets } = process;
  for (let choice = at(firstChoice, state); choice < at(firstChoice, state + 1); choice++) {
    const [begin, end] = [at(firstBranch, choice), at(firstBranch, choice + 1)];
    if (targets.subarray(begin, end).every((target) => trap[target] === 1)) return begin;
  }
  return undefined;
}

function pathInto(scope: Scope, trap: Uint8Array, within: Uint8Array): number[] {
  const { process, initial, watch } = scope;
  const { states, firstChoice, firstBranch, targets } = process;
  /** By state: its place in the agenda, from 1. */
  const places = new Int32Array(states);
  const agenda = [initial];
  const from: number[] = [-1];
  const by: number[] = [-1];
  places[initial] = 1;
  for (let place = 0; place < agenda.length; place++) {
    watch.tick();
    const state = agenda[place] as number; // place < length
    if (trap[state] === 1) return backwards(place, from, by);
    const end = at(firstBranch, at(firstChoice, state + 1));
    for (let branch = at(firstBranch, at(firstChoice, state)); branch < end; branch++) {
      const target = at(targets, branch);
      if (places[target] !== 0 || within[target] === 0) continue;
      places[target] = agenda.push(target);
      from.push(place);
      by.push(branch);
    }
  }
  throw new Error('The path that shows an infinite cost was not found');
}

function backwards(last: number, from: readonly number[], by: readonly number[]): number[] {
  const path: number[] = [];
  for (let place = last; place > 0; place = from[place] as number) path.push(by[place] as number);
  return path.reverse();
}
