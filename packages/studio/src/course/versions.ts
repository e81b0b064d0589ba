/**
 * The versions of a protocol that properties are judged by: the protocol, others that are right in
 * another way, and mutants. The lists are public, so mutants of all of them are among them, chosen
 * by the seed of the grading: a property that knows the worlds of the listed ones by heart is untrue
 * of a mutant that is right, or does not notice one that is wrong.
 */
import { explore } from '@conclave/check';
import { mutantsOf } from '@conclave/check/internal';
import { Random } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import type { CodeExercise } from './code-exercise.js';
import { type Mutant, plainStates, type States, type Versions, withStates } from './judge.js';
import { mutantIn } from './starting-file.js';

/** Each wrong version comes with so many mutants of it, and each right one with one. */
const descendants = 2;
/** A mutant of a mutant that has more is not worth its time. */
const mostStates = 1500;

type Exercise = Pick<CodeExercise, 'role' | 'systems' | 'mutants' | 'alsoRight'>;

/** @throws {ConclaveError} `bad-input` for a mutant that is not there. */
export function versionsOf(right: Protocol, exercise: Exercise, seed: number): Versions {
  const { role, systems, mutants = [], alsoRight = [] } = exercise;
  const random = new Random(seed);
  const known = new Set<string>();
  const violated = (protocol: Protocol) => verdictsOn(protocol, systems);
  /** Some mutants of a mutant, with verdicts that fit. */
  const mutantsIn = (protocol: Protocol, most: number, fits: (names: Verdicts) => boolean) => {
    const found: Protocol[] = [];
    for (const mutant of random.shuffled(mutantsOf(protocol))) {
      if (found.length === most) break;
      const states =
        mutant.role === role ? attempted(() => statesIn(mutant.protocol, role)) : undefined;
      const text = JSON.stringify(states);
      const made = states && !known.has(text) && attempted(() => withStates(right, role, states));
      const verdicts = made && violated(made);
      if (!verdicts || verdicts.isCut || !fits(verdicts)) continue;
      known.add(text);
      found.push(made);
    }
    return found;
  };
  const usual = violated(right).states;
  const others = alsoRight.flatMap((id) => {
    const { protocol } = mutantIn(right, id);
    const { names, states } = violated(protocol);
    const isRight = (one: Verdicts) =>
      [...one.names].every((name) => names.has(name)) &&
      one.states !== states &&
      one.states !== usual;
    return [protocol, ...mutantsIn(protocol, 1, isRight)];
  });
  const wrong = mutants.map((id): Mutant => {
    const { protocol } = mutantIn(right, id);
    const { names } = violated(protocol);
    const isWrong = (one: Verdicts) => [...names].every((name) => one.names.has(name));
    return { id, protocol, descendants: mutantsIn(protocol, descendants, isWrong) };
  });
  return { alsoRight: others, mutants: wrong };
}

/** As data; of a mutant that is no data, an error. */
const statesIn = (protocol: Protocol, role: string): States =>
  plainStates(protocol.roles[role]?.machine.config.states);

interface Verdicts {
  /** Of the properties that do not hold somewhere. */
  readonly names: ReadonlySet<string>;
  readonly states: number;
  /** Whether a search ended early, so that there are verdicts without a reason. */
  readonly isCut: boolean;
}

function verdictsOn(protocol: Protocol, systems: Exercise['systems']): Verdicts {
  const names = new Set<string>();
  let [all, isCut] = [0, false];
  for (const { topology: spec, budget } of systems) {
    const limits = { states: mostStates };
    const found = attempted(() => explore(protocol, topology(spec), { ...budget, limits }));
    isCut ||= !found?.complete;
    all += found?.states ?? 0;
    for (const { name, verdict } of found?.properties ?? [])
      if (verdict === 'violated' || verdict === 'unreached') names.add(name);
  }
  return { names, states: all, isCut };
}

function attempted<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined; // it is no protocol, or no data
  }
}
