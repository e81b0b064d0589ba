import { checkProcess } from './check-process.js';
import type { DecisionProcess, Extreme } from './decision-process.js';
import { endComponents } from './end-components.js';
import { type Equations, equationsOf, isOne, isZero, unknown } from './equations.js';
import { canReach, canSurelyReach, mayAlwaysReach, mustReach } from './qualitative.js';
import type { Question, Value } from './question.js';
import { type Scope, scopeOf } from './scope.js';
import { solve } from './solve.js';

/** The probability that the goal is reached: the least or the greatest over all schedulers. */
export function reachProbability(process: DecisionProcess, question: Question): Value {
  checkProcess(process);
  const scope = scopeOf(process, question);
  return solve(probabilityEquations(scope, question.extreme), scope.watch);
}

export const probabilityEquations = (scope: Scope, extreme: Extreme): Equations =>
  extreme === 'greatest' ? greatestEquations(scope) : leastEquations(scope);

/**
 * Without the states that cannot reach the goal, a scheduler can only stay away from it in an end
 * component. All states of one have the same value. Once each is one state, the equations have one
 * solution (Haddad & Monmege 2018).
 */
function greatestEquations(scope: Scope): Equations {
  const known = knownOf(
    scope,
    canReach(scope, scope.goal),
    canSurelyReach(scope, scope.goal).states,
  );
  const isUnknown = known.map((value) => (value === unknown ? 1 : 0));
  for (let state = 0; state < isUnknown.length; state++)
    if (scope.isOpen[state] === 0) isUnknown[state] = 0;
  const shared = endComponents(scope, isUnknown, () => true);
  return equationsOf(scope, {
    extreme: 'greatest',
    known,
    shared,
    isAllowed: undefined,
    hasCosts: false,
  });
}

/** Without the states that a scheduler can keep from the goal, none can stay away from it. */
function leastEquations(scope: Scope): Equations {
  return equationsOf(scope, {
    extreme: 'least',
    known: knownOf(scope, mayAlwaysReach(scope, scope.goal), mustReach(scope, scope.goal)),
    shared: undefined,
    isAllowed: undefined,
    hasCosts: false,
  });
}

/** What the graph tells about each state that is reached. */
function knownOf(scope: Scope, isPossible: Uint8Array, isSure: Uint8Array): Uint8Array {
  const known = new Uint8Array(scope.process.states);
  for (const state of scope.reached)
    known[state] = isSure[state] === 1 ? isOne : isPossible[state] === 0 ? isZero : unknown;
  return known;
}
