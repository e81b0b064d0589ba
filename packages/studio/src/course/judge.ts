/** Judges what a student has written, by the explorer: a part of an exercise for each point. */
import { explore, type PropertyFinding } from '@conclave/check';
import { atMost, defineProtocol, type Property, type Protocol } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import { traceText } from '@conclave/core/trace';
import { createMachine, type UnknownMachineConfig } from 'xstate';
import { linkText } from '../link/link.js';
import { type Language, say, type Text } from '../texts/say.js';
import type { CodeExercise, GradedSystem, Part } from './code-exercise.js';

/** A chart that is far from right may have many states. */
const mostStates = 200_000;
/** An endless loop without an event ends a step with an error. */
const mostMicrosteps = 1000;
const mostProperties = 20;

/** Of a chart, as data: actions and guards are names. */
export type States = UnknownMachineConfig['states'];

/** An exercise, and the protocol of the catalogue that it is about. */
interface Asked extends Pick<CodeExercise, 'role' | 'systems'> {
  readonly right: Protocol;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The protocol with other states in the chart of a role; actions and guards are its own. */
export function withStates(protocol: Protocol, name: string, states: States): Protocol {
  const role = protocol.roles[name];
  if (!role) return protocol;
  const { config, implementations } = role.machine;
  const { actions, guards, delays } = implementations;
  const machine = createMachine(
    // what its own machine was made of, but for the states
    { ...(config as UnknownMachineConfig), states, options: { maxIterations: mostMicrosteps } },
    { actions, guards, delays },
  );
  return defineProtocol({
    ...protocol,
    roles: { ...protocol.roles, [name]: { ...role, machine } },
  });
}

/** `complete:2, commands 2`. */
const nameOf = ({ topology, budget = {} }: GradedSystem): string =>
  [
    topology,
    ...Object.entries(budget).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
  ].join(', ');

const isFine = ({ verdict }: Pick<PropertyFinding, 'verdict'>): boolean =>
  verdict === 'holds' || verdict === 'reached';

const explored = (
  protocol: Protocol,
  { topology: spec, budget }: GradedSystem,
  properties: readonly Property[],
) => explore(protocol, topology(spec), { ...budget, properties, limits: { states: mostStates } });

/** What an entry may cost, where the protocol says so. */
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
    const { properties, complete } = explored(protocol, system, [...protocol.properties, ...cost]);
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
interface Mutant {
  /** Told to whoever has noticed it. */
  readonly id?: string;
  readonly protocol: Protocol;
}

/**
 * Properties: a point for each mutant that violates one of those that are true of the protocol. The
 * protocol is explored again after the mutants, for a property that changes its mind.
 */
export function judgedProperties(
  { right, systems }: Asked,
  mutants: readonly Mutant[],
  given: readonly Property[],
): readonly Part[] {
  const properties = given
    .filter((one) => !right.properties.includes(one))
    .slice(0, mostProperties);
  const wrongs = properties.map((property) => wrongOf(right, systems, property));
  const sound = properties.filter((_, index) => wrongs[index] === undefined);
  const noticed = mutants.map(({ protocol: mutant }) =>
    sound.filter((one) => wrongOf(mutant, systems, one)?.isShown === true),
  );
  const still = new Set(sound.filter((one) => wrongOf(right, systems, one) === undefined));
  const problems = wrongs.flatMap((wrong) => wrong?.text ?? []);
  const why = properties.length === 0 ? [say('It has no property of its own.')] : problems;
  return mutants.map(({ id }, index): Part => {
    const name = say('mutant {number}', { number: index + 1 });
    const by = noticed[index]?.find((one) => still.has(one));
    if (by)
      return {
        name: id === undefined ? name : `${name}, ${id}`,
        passed: true,
        feedback: say('noticed by: {name}', { name: by.name }),
      };
    const unnoticed = say('No property that is true of the protocol notices it.');
    return { name, passed: false, feedback: [...(index === 0 ? why : []), unnoticed].join('\n') };
  });
}

/**
 * Why a property is not true of a protocol on these systems; undefined: it is. `isShown`: a run, or
 * a whole search, shows it.
 */
function wrongOf(
  protocol: Protocol,
  systems: readonly GradedSystem[],
  property: Property,
): { readonly text: string; readonly isShown: boolean } | undefined {
  for (const system of systems)
    try {
      const { properties } = explored(protocol, system, [property]);
      const finding = properties.find(({ name }) => name === property.name);
      if (!finding || isFine(finding)) continue;
      const { feedback = '' } = feedbackOn(finding, protocol, system);
      const { verdict } = finding;
      return { text: feedback, isShown: verdict === 'violated' || verdict === 'unreached' };
    } catch (error) {
      return { text: `${property.name}: ${messageOf(error)}`, isShown: false };
    }
  return undefined;
}

// What is judged of a protocol that a student has written, of which nothing is sure.

type HandedIn = Readonly<Record<string, unknown>>;

/**
 * The states of the chart of a role, which are data: actions and guards are names.
 *
 * @throws {Error} where there are none, or a function is among them
 */
export function statesOf({ roles }: HandedIn, role: string): States {
  const { machine } = Object(Object(roles)[role]);
  const states: unknown = Object(Object(machine).config).states;
  if (typeof states !== 'object' || states === null)
    throw new Error(say("the role '{role}' of its protocol has no machine with states", { role }));
  const text = JSON.stringify(states, (key, value: unknown) => {
    if (typeof value === 'function')
      throw new Error(
        say("'{key}' is a function. Only names of actions and guards stand in a chart", { key }),
      );
    return value;
  });
  return JSON.parse(text);
}

/**
 * Those that look like properties; the explorer says what is wrong with them.
 *
 * @throws {Error} where there are none
 */
export function propertiesOf({ properties }: HandedIn): readonly Property[] {
  if (!Array.isArray(properties)) throw new Error(say('its protocol has no list of properties'));
  const odd = properties.find((one) => typeof Object(one).name !== 'string' || !Object(one).kind);
  if (odd === undefined) return properties;
  throw new Error(say('one of its properties is none: always, never, sometimes … make them'));
}

/** What the page has of an exercise in code: neither the holes nor the name of a mutant. */
export interface PageExercise extends Omit<CodeExercise, 'mutants' | 'holes'> {
  /** `1.4`: the fourth exercise of the first lab. */
  readonly number: string;
  readonly points: number;
  readonly goal: Text;
  readonly hints: readonly Text[];
  /** What a student starts from. */
  readonly start: Readonly<Record<Language, string>>;
  /** `say`: the chart of the role in each mutant. */
  readonly mutants: readonly States[];
}

/** What the first page says of it. */
export type ExerciseRow = Pick<
  PageExercise,
  'kind' | 'name' | 'lab' | 'number' | 'protocol' | 'minutes'
>;
