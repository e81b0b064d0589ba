import { and, not, or, stateIn } from 'xstate';

/** XState's own shape of `and`, `or`, `not` and `stateIn`: each has a `check` of its kind. */
interface Combined {
  readonly check?: unknown;
  readonly name: string;
}

const checkOf = (made: unknown): unknown => (made as Combined).check; // they have one
const isTrue = () => true;

/**
 * By kind, what tells a combined guard of this copy of XState. Its name does not: bundlers change
 * the names of functions.
 */
export const checks = {
  and: checkOf(and([isTrue])),
  or: checkOf(or([isTrue])),
  not: checkOf(not(isTrue)),
  stateIn: checkOf(stateIn('')),
};

/**
 * `and`, `or` or `not`: how a combined guard was made. For one of another copy of XState: the name
 * of its function.
 */
export const combinedBy = ({ check, name }: Combined): string =>
  Object.entries(checks).find(([, known]) => known === check)?.[0] ?? name;
