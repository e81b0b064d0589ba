/**
 * The states whose probability to reach a set is 0 or 1, by graph algorithms, without numbers
 * (Baier & Katoen: Principles of Model Checking, 10.6.1; de Alfaro: Formal Verification of
 * Probabilistic Systems, 1997).
 *
 * Sets are by state, 1 for its members, and of the states that the question reaches.
 */
import { at, type Scope } from './scope.js';

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
export const mustReach = (scope: Scope, set: Uint8Array): Uint8Array =>
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
