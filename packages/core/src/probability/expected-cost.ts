import { checkProcess } from './check-process.js';
import type { DecisionProcess } from './decision-process.js';
import { endComponents } from './end-components.js';
import { type Equations, equationsOf, isZero, unknown } from './equations.js';
import { lassoInto } from './lasso.js';
import { canReach, canSurelyReach, complement, mayAlwaysReach } from './qualitative.js';
import type { Lasso, Question, Value } from './question.js';
import { at, type Scope, scopeOf } from './scope.js';
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
