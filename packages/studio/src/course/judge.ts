/** Judges what a student has written, by the explorer: a part of an exercise for each point. */
import { explore, type PropertyFinding } from '@conclave/check';
import { atMost, defineProtocol, type Property, type Protocol } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import { traceText } from '@conclave/core/trace';
import { createMachine, type UnknownMachineConfig } from 'xstate';
import { visible } from '../base/input.js';
import { linkText } from '../link/link.js';
import type { Language } from '../texts/languages.js';
import { say, type Text } from '../texts/say.js';
import { Questions, type TabledProperty } from './answers.js';
import type { CodeExercise, GradedSystem } from './code-exercises.js';

/** A chart that is far from right may have many states. */
const mostStates = 200_000;
/** An endless loop without an event ends a step with an error. */
const mostMicrosteps = 1000;

const changesItsMind: Text =
  'It answers differently when it is asked again, in another order: it must depend on nothing but the state, not on names of nodes nor on contexts as a whole.';

/** A part of an exercise, which is worth a point. */
export interface Part {
  readonly name: string;
  readonly passed: boolean;
  /** Why not: with the run that shows it, and its link behind `#`. */
  readonly feedback?: string;
  readonly link?: string;
}

/** Of a chart, as data: actions and guards are names. */
export type States = UnknownMachineConfig['states'];

/** An exercise, and the protocol of the catalogue that it is about. */
interface Asked extends Pick<CodeExercise, 'role' | 'systems'> {
  readonly right: Protocol;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The protocol with other states in the chart of a role; actions and guards are its own. */
export const withStates = (protocol: Protocol, name: string, states: States): Protocol =>
  defineProtocol(withChart(protocol, name, states));

/** The same for states that may lack rules. */
export function withChart(protocol: Protocol, name: string, states: States): Protocol {
  const role = protocol.roles[name];
  if (!role) return protocol;
  const { config, implementations } = role.machine;
  const { actions, guards, delays } = implementations;
  const machine = createMachine(
    // what its own machine was made of, but for the states
    { ...(config as UnknownMachineConfig), states, options: { maxIterations: mostMicrosteps } },
    { actions, guards, delays },
  );
  return { ...protocol, roles: { ...protocol.roles, [name]: { ...role, machine } } };
}

/** `complete:2, commands 2`. */
const nameOf = ({ topology, budget = {} }: GradedSystem): string =>
  [
    topology,
    ...Object.entries(budget).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
  ].join(', ');

const isFine = ({ verdict }: Pick<PropertyFinding, 'verdict'>): boolean =>
  verdict === 'holds' || verdict === 'reached';

export const exploration = (
  protocol: Protocol,
  { topology: spec, budget }: GradedSystem,
  properties: readonly Property[],
  states = mostStates,
) => explore(protocol, topology(spec), { ...budget, properties, limits: { states } });

function costOf(
  { cost, commands }: Protocol,
  { topology: spec }: GradedSystem,
): readonly Property[] {
  if (cost?.per !== 'entry' || !('acquire' in commands)) return [];
  const { most } = cost.messages(topology(spec).nodes.length);
  const of = cost.of ? { of: cost.of } : {};
  return Number.isFinite(most) ? [atMost(most, { per: 'acquire', ...of })] : [];
}

/**
 * Mended or written states: a point for each system on which every property of the protocol holds
 * and an entry costs no more than it does there, up to the first on which that is not so.
 */
export function judgedStates({ right, role, systems }: Asked, states: States): readonly Part[] {
  const parts: Part[] = [];
  const failed = () => parts.some(({ passed }) => !passed);
  for (const system of systems) {
    const name = nameOf(system);
    if (failed()) parts.push({ name, passed: false, feedback: say('Not explored.') });
    else
      parts.push({
        name,
        ...verdictOn(system, () => withStates(right, role, states), costOf(right, system)),
      });
  }
  return parts;
}

/** Whether everything holds there, and else a run that shows why not. */
function verdictOn(
  system: GradedSystem,
  made: () => Protocol,
  cost: readonly Property[],
): Omit<Part, 'name'> {
  try {
    const protocol = made();
    const { properties, complete } = exploration(protocol, system, [
      ...protocol.properties,
      ...cost,
    ]);
    const wrong = properties.filter((finding) => !isFine(finding));
    // one with a run shows more
    const [first] = wrong.toSorted((a, b) => Number(!a.trace) - Number(!b.trace));
    if (first) return { passed: false, ...feedbackOn(first, protocol, system) };
    return complete
      ? { passed: true }
      : { passed: false, feedback: say('It has too many states.') };
  } catch (error) {
    return { passed: false, feedback: messageOf(error) };
  }
}

const verdictTexts: Readonly<Partial<Record<PropertyFinding['verdict'], Text>>> = {
  violated: 'Violated',
  unreached: 'Never reached',
  incomplete: 'Not decided, since there are too many states',
  vacuous: 'It cannot fail here',
};

/** The property, the run, and the link to it. */
function feedbackOn(
  { name, verdict, trace, steps, loopsFromStep }: PropertyFinding,
  protocol: Protocol,
  { topology: spec, budget = {} }: GradedSystem,
): Pick<Part, 'feedback' | 'link'> {
  const run = trace ? `\n${traceText(trace)}` : '';
  const said = verdictTexts[verdict];
  const feedback = `${said ? say(said) : verdict}: ${name}${run}`;
  if (verdict !== 'violated' || !steps) return { feedback };
  const loop = loopsFromStep === undefined ? {} : { loopsFrom: loopsFromStep };
  const setup = { protocol: protocol.name, options: {}, topology: spec, budget };
  return { feedback, link: linkText({ setup, view: 'world', steps, ...loop }) };
}

/** A wrong protocol that properties are to notice. */
export interface Mutant {
  /** Told to whoever has noticed it. */
  readonly id?: string;
  readonly protocol: Protocol;
  /** Mutants of it, in which the same is wrong: they are to be noticed, too. */
  readonly descendants: readonly Protocol[];
}

/** What properties are judged by, beside the protocol. */
export interface Versions {
  readonly alsoRight: readonly Protocol[];
  readonly mutants: readonly Mutant[];
}

/** What properties are asked about all versions. */
export function questionsOf(
  { right, systems }: Asked,
  { alsoRight, mutants }: Versions,
  seed: number,
): Questions {
  const questions = new Questions(seed);
  const wrong = mutants.flatMap(({ protocol, descendants }) => [protocol, ...descendants]);
  for (const protocol of [right, ...alsoRight, ...wrong])
    for (const system of systems) exploration(protocol, system, questions.recorders);
  return questions.close();
}

/** A point for each mutant that violates a property which all right versions have. */
export function judgedProperties(
  { right, systems }: Asked,
  { alsoRight, mutants }: Versions,
  properties: readonly TabledProperty[],
): readonly Part[] {
  const wrongs = properties.map(({ property, isSteady, isConstant }) => {
    if (!isSteady) return `${property.name}: ${say(changesItsMind)}`;
    const wrong = wrongOf(right, systems, property)?.text;
    if (wrong !== undefined || isConstant)
      return wrong ?? `${say('It cannot fail here')}: ${property.name}`;
    const other = alsoRight.some((one) => wrongOf(one, systems, property));
    return other
      ? `${property.name}: ${say('It is not true of another protocol that is right.')}`
      : undefined;
  });
  const sound = properties.flatMap(({ property }, index) =>
    wrongs[index] === undefined ? property : [],
  );
  const noticing = (protocol: Protocol) =>
    sound.find((one) => wrongOf(protocol, systems, one)?.isShown === true);
  const why =
    properties.length === 0
      ? [say('It has no property of its own.')]
      : wrongs.filter((text) => text !== undefined);
  return mutants.map(({ id, protocol, descendants }, index): Part => {
    const name = say('mutant {number}', { number: index + 1 });
    const by = noticing(protocol);
    if (by && descendants.every(noticing))
      return {
        name: id === undefined ? name : `${name}, ${id}`,
        passed: true,
        feedback: say('noticed by: {name}', { name: by.name }),
      };
    const unnoticed = by
      ? say('A mutant of it in which the same is wrong is not noticed.')
      : say('No property that is true of the protocol notices it.');
    return { name, passed: false, feedback: [...(index === 0 ? why : []), unnoticed].join('\n') };
  });
}

/** Why a property is not true on these systems, and whether a run or a search shows it. */
function wrongOf(
  protocol: Protocol,
  systems: readonly GradedSystem[],
  property: Property,
): { readonly text: string; readonly isShown: boolean } | undefined {
  for (const system of systems)
    try {
      const { properties } = exploration(protocol, system, [property]);
      const finding = properties.find(({ name }) => name === property.name);
      if (!finding || isFine(finding)) continue;
      const { feedback = '' } = feedbackOn(finding, protocol, system);
      const { verdict } = finding;
      return { text: feedback, isShown: verdict === 'violated' || verdict === 'unreached' };
    } catch (error) {
      return { text: `${property.name}: ${visible(messageOf(error))}`, isShown: false };
    }
  return undefined;
}

// What is judged of a protocol that a student has written, of which nothing is sure.

export type HandedIn = Readonly<Record<string, unknown>>;

/**
 * The states of the chart of a role, which are data: actions and guards are names.
 *
 * @param given what the submission imports of the catalogue
 * @throws {Error} where there are none, where they are those that are given, or a function or a
 * control character is among them
 */
export function statesOf({ roles }: HandedIn, role: string, given: Protocol): States {
  const { machine } = Object(Object(roles)[role]);
  const states: unknown = Object(Object(machine).config).states;
  if (typeof states !== 'object' || states === null)
    throw new Error(say("the role '{role}' of its protocol has no machine with states", { role }));
  if (states === given.roles[role]?.machine.config.states)
    throw new Error(
      say('it hands in the chart of the catalogue: the states must stand in the file'),
    );
  return plainStates(states);
}

/** @throws {Error} where a function or a control character is among them */
export function plainStates(states: unknown): States {
  const text = JSON.stringify(states, (key, value: unknown) => {
    if (typeof value === 'function')
      throw new Error(
        say("'{key}' is a function. Only names of actions and guards stand in a chart", { key }),
      );
    const odd = [key, value].find((one) => typeof one === 'string' && visible(one) !== one);
    if (odd === undefined) return value;
    throw new Error(
      say("'{name}' in its chart has a control character", { name: visible(String(odd)) }),
    );
  });
  return JSON.parse(text);
}

/** What the page has of an exercise in code: neither the holes nor the name of a mutant. */
export interface PageExercise extends Omit<CodeExercise, 'mutants' | 'holes' | 'alsoRight'> {
  /** `1.4`: the fourth exercise of the first lab. */
  readonly number: string;
  readonly points: number;
  readonly goal: Text;
  readonly hints: readonly Text[];
  readonly start: Readonly<Record<Language, string>>;
  /** `say`: the charts of the role in other versions. */
  readonly alsoRight: readonly States[];
  readonly mutants: readonly { readonly states: States; readonly descendants: readonly States[] }[];
}

/** What the first page says of it. */
export type ExerciseRow = Pick<
  PageExercise,
  'kind' | 'name' | 'lab' | 'number' | 'protocol' | 'minutes'
>;
