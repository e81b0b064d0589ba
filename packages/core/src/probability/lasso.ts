import type { Lasso } from './question.js';
import { at, type Scope } from './scope.js';

/**
 * A shortest path through `within` to `trap`, and on in the trap until a state repeats or has no
 * choices.
 *
 * @param trap By state: a set where each state is an end, or has a choice that stays in it
 * @param within By state: where the path may go; it leads from the initial state to the trap
 */
export function lassoInto(scope: Scope, trap: Uint8Array, within: Uint8Array): Lasso {
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
