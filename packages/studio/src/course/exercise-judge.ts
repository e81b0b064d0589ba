/**
 * Judges what is handed in for one exercise. What a student has written runs in one process, which
 * gives data: the states of a chart, or what properties answer. Another process judges the data.
 *
 * Properties are judged by versions of a protocol: the protocol, others that are right in another
 * way, and mutants. The lists are public, so mutants of all of them are among them, chosen by the
 * seed of the grading: a property that knows the worlds of the listed ones by heart is untrue of a
 * mutant that is right, or does not notice one that is wrong.
 */
import { mutantsOf } from '@conclave/check/internal';
import { Random } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import { type Answers, type Asked, answersOf, propertiesOf, type Questions } from './answers.js';
import type { CodeExercise } from './code-exercises.js';
import {
  exploration,
  type HandedIn,
  judgedProperties,
  judgedStates,
  type Mutant,
  type Part,
  plainStates,
  questionsOf,
  type States,
  statesOf,
  type Versions,
  withChart,
  withStates,
} from './judge.js';
import { exportOf, moduleOf, mutantIn, protocolIn, startingStates } from './starting-file.js';

export interface ExerciseJudge {
  /** The module of the catalogue that a submission may import. */
  readonly module: string;
  /** What it gets for a module: of the catalogue, the protocol without what the exercise asks for. */
  imported(name: string, module: object): object;
  /** @throws {Error} where the protocol has none of its own, or a function is among them */
  statesIn(handedIn: HandedIn): States;
  ofStates(states: States): readonly Part[];
  /** What its properties are asked when it is loaded the first, or the second time. */
  asked(load: number): Asked;
  /** @throws {Error} where the protocol has no properties */
  answersOf(handedIn: HandedIn, asked: Asked): readonly Answers[];
  ofAnswers(loads: readonly (readonly Answers[])[]): readonly Part[];
}

/**
 * Loads all that it needs: what is handed in may take the means to load away.
 *
 * @param seed of the order of questions, and of the choice of mutants of mutants
 */
export async function judgeOf(exercise: CodeExercise, seed = 1): Promise<ExerciseJudge> {
  const { kind, role, systems } = exercise;
  const right = await protocolIn(exercise);
  const system = { right, role, systems };
  const given =
    kind === 'say'
      ? { ...right, properties: [] }
      : withChart(right, role, startingStates(exercise, right));
  let known: { readonly versions: Versions; readonly questions: Questions } | undefined;
  const all = () => {
    const versions = known?.versions ?? versionsOf(right, exercise, seed);
    known ??= { versions, questions: questionsOf(system, versions, seed) };
    return known;
  };
  return {
    module: moduleOf(right),
    imported: (name, module) => {
      if (name !== moduleOf(right)) return module;
      const own = exportOf(right);
      const isMade = typeof Object(module)[own] === 'function';
      return { [own]: isMade ? () => given : given };
    },
    statesIn: (handedIn) => statesOf(handedIn, role, given),
    ofStates: (states) => judgedStates(system, states),
    asked: (load) => all().questions.asked(load),
    answersOf: (handedIn, asked) => answersOf(right, propertiesOf(handedIn, right), asked),
    ofAnswers: (loads) => {
      const { versions, questions } = all();
      return judgedProperties(system, versions, questions.propertiesOf(loads));
    },
  };
}

// The versions that properties are judged by.

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
        mutant.role === role ? resultOrNone(() => statesIn(mutant.protocol, role)) : undefined;
      const text = JSON.stringify(states);
      const made =
        states && !known.has(text) && resultOrNone(() => withStates(right, role, states));
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
  for (const system of systems) {
    const found = resultOrNone(() =>
      exploration(protocol, system, protocol.properties, mostStates),
    );
    isCut ||= !found?.complete;
    all += found?.states ?? 0;
    for (const { name, verdict } of found?.properties ?? [])
      if (verdict === 'violated' || verdict === 'unreached') names.add(name);
  }
  return { names, states: all, isCut };
}

function resultOrNone<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined; // it is no protocol, or no data
  }
}
