import { endComponents } from './components.js';
import {
  at,
  checkProcess,
  type DecisionProcess,
  type Extreme,
  type Question,
  type Scope,
  scopeOf,
  type Value,
} from './decision-process.js';
import { type Equations, equationsOf, isOne, isZero, unknown } from './equations.js';
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

// The states whose probability to reach a set is 0 or 1, by graph algorithms, without numbers
// (Baier & Katoen: Principles of Model Checking, 10.6.1; de Alfaro: Formal Verification of
// Probabilistic Systems, 1997).
//
// Sets are by state, 1 for its members, and of the states that the question reaches.

/** The states from which some run reaches the set: the greatest probability is not 0. */
export function canReach(scope: Scope, set: Uint8Array, isAllowed?: Uint8Array): Uint8Array {
  const { owners, firstIncoming, incoming, isOpen, watch } = scope;
  const { found, agenda } = membersOf(scope, set);
  for (let state = agenda.pop(); state !== undefined; state = agenda.pop()) {
    watch.tick();
    for (let place = at(firstIncoming, state); place < at(firstIncoming, state + 1); place++) {
      const choice = at(incoming, place);
      const owner = at(owners, choice);
      if (found[owner] === 1 || isOpen[owner] === 0 || isAllowed?.[choice] === 0) continue;
      found[owner] = 1;
      agenda.push(owner);
    }
  }
  return found;
}

/** The states from which every scheduler may reach the set: the least probability is not 0. */
export function mayAlwaysReach(scope: Scope, set: Uint8Array): Uint8Array {
  const { process, owners, firstIncoming, incoming, watch } = scope;
  const { firstChoice } = process;
  const { found, agenda } = membersOf(scope, set);
  const isCounted = new Uint8Array(owners.length);
  const counts = new Int32Array(process.states);
  for (let state = agenda.pop(); state !== undefined; state = agenda.pop()) {
    watch.tick();
    for (let place = at(firstIncoming, state); place < at(firstIncoming, state + 1); place++) {
      const choice = at(incoming, place);
      if (isCounted[choice] === 1) continue;
      isCounted[choice] = 1;
      const owner = at(owners, choice);
      const count = at(counts, owner) + 1;
      counts[owner] = count;
      if (found[owner] === 1 || count < at(firstChoice, owner + 1) - at(firstChoice, owner))
        continue;
      found[owner] = 1;
      agenda.push(owner);
    }
  }
  return found;
}

/** The states from which every scheduler reaches the set with probability 1. */
const mustReach = (scope: Scope, set: Uint8Array): Uint8Array =>
  complement(scope, canReach(scope, complement(scope, mayAlwaysReach(scope, set))));

/**
 * The states from which some scheduler reaches the set with probability 1, and the choices that all
 * such schedulers keep to: those that stay among these states. A state is removed once it cannot
 * reach the set by the choices that are left; choices that may lead to it go with it.
 */
export function canSurelyReach(
  scope: Scope,
  set: Uint8Array,
): { readonly states: Uint8Array; readonly isAllowed: Uint8Array } {
  const { owners, firstIncoming, incoming, reached, watch } = scope;
  const isAllowed = new Uint8Array(owners.length).fill(1);
  const isRemoved = new Uint8Array(scope.process.states);
  for (;;) {
    const states = canReach(scope, set, isAllowed);
    let isDone = true;
    for (const state of reached) {
      if (states[state] === 1 || isRemoved[state] === 1) continue;
      watch.tick();
      isRemoved[state] = 1;
      for (let place = at(firstIncoming, state); place < at(firstIncoming, state + 1); place++) {
        const choice = at(incoming, place);
        if (isAllowed[choice] === 1) isDone = false;
        isAllowed[choice] = 0;
      }
    }
    if (isDone) return { states, isAllowed };
  }
}

/** The reached states that are not in a set. */
export function complement({ process, reached }: Scope, set: Uint8Array): Uint8Array {
  const others = new Uint8Array(process.states);
  for (const state of reached) others[state] = set[state] === 1 ? 0 : 1;
  return others;
}

/** A copy of a set, and its reached members as an agenda. */
function membersOf({ process, reached }: Scope, set: Uint8Array) {
  const found = new Uint8Array(process.states);
  const agenda: number[] = [];
  for (const state of reached) {
    if (set[state] !== 1) continue;
    found[state] = 1;
    agenda.push(state);
  }
  return { found, agenda };
}
