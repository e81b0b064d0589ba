/**
 * Judges properties of somebody who may cheat, by tables of their answers.
 *
 * A property is a function, and may keep what it saw: whoever calls it while a protocol is explored
 * tells it which protocol that is. So nobody calls it there. All worlds, nodes and steps of all
 * versions of the protocol are collected first, and shuffled: a submission answers for each, one
 * after another, and cannot know which version has it. Then the versions are explored with
 * properties that look the answers up.
 *
 *     versions ── explored ──→ Questions ── shuffled, disguised ──→ answersOf (the student's code)
 *     versions ── explored with propertiesOf(answers) ──→ verdicts            twice, loaded afresh
 *
 * Each question is asked twice, of the module loaded afresh, in two orders, with other names of nodes
 * and a field more in contexts, whose keys are shuffled. A property whose answers differ depends on
 * what it saw before, on chance, on names, or on contexts as a whole: such as a list of worlds that
 * was made at home.
 */
import { canonical } from '@conclave/check/internal';
import {
  answerOf,
  kindOfProperty,
  numberOf,
  propertyKinds,
  Random,
  refuseChance,
  systemViewOf,
  viewOfNode,
} from '@conclave/core/internal';
import type {
  InFlight,
  NodeStep,
  NodeView,
  Property,
  Protocol,
  SystemView,
} from '@conclave/core/protocol';
import { defined } from '../base/collections.js';
import { badInput, visible } from '../base/input.js';
import { say } from '../texts/say.js';

type NodeData = Omit<NodeView, 'tags'> & { readonly tags: readonly string[] };

/** Plain data. Systems and steps name their nodes by their places. */
export interface Asked {
  readonly nodes: readonly NodeData[];
  readonly systems: readonly {
    readonly nodes: readonly number[];
    readonly inFlight: readonly InFlight[];
  }[];
  readonly steps: readonly (Omit<NodeStep, 'before' | 'after'> & {
    readonly before: number;
    readonly after: number;
  })[];
}

type About = keyof Asked;

const tables = { system: 'systems', node: 'nodes', number: 'nodes', step: 'steps' } as const;

/** By its field, what a function of a property of this kind looks at. */
const lookedAt = (property: Pick<Property, 'kind'>): readonly (readonly [string, About])[] =>
  Object.entries(kindOfProperty(property).functions).map(([field, sees]) => [field, tables[sees]]);

const mostProperties = 20;

/**
 * The properties of a protocol that is handed in, without those of the catalogue.
 *
 * @throws {Error} where there are none
 */
export function propertiesOf(
  { properties }: Readonly<Record<string, unknown>>,
  right: Protocol,
): readonly Property[] {
  if (!Array.isArray(properties)) throw new Error(say('its protocol has no list of properties'));
  if (!properties.every(isProperty))
    throw new Error(say('one of its properties is none: always, never, sometimes … make them'));
  return properties
    .filter((one) => !right.properties.includes(one))
    .slice(0, mostProperties)
    .map((one) => ({ ...one, name: visible(one.name) }));
}

const isKind = (kind: unknown): kind is Property['kind'] =>
  Object.hasOwn(propertyKinds, String(kind));

/** Whether it has the functions of its kind. */
function isProperty(one: unknown): one is Property {
  const { name, kind, ...fields }: Record<string, unknown> = Object(one);
  return (
    typeof name === 'string' &&
    isKind(kind) &&
    lookedAt({ kind }).every(([field]) => typeof fields[field] === 'function')
  );
}

type Answer = boolean | number | null | { readonly error: string };

/** What a property is, and what each of its predicates answered, question by question. */
export interface Answers extends Pick<Property, 'name' | 'kind'> {
  readonly most?: unknown;
  readonly per?: unknown;
  readonly of?: unknown;
  readonly answers: Readonly<Record<string, readonly Answer[]>>;
}

/** Asks the properties: this is where what a student has written runs. */
export function answersOf(
  protocol: Protocol,
  properties: readonly Property[],
  { nodes, systems, steps }: Asked,
): readonly Answers[] {
  const views = nodes.map(({ id, role, history, crashed, ...state }) =>
    viewOfNode(protocol, id, role, frozen(state), history, crashed),
  );
  const viewAt = (place: number) => views[place] as NodeView; // they name nodes that are there
  const all: Readonly<Record<About, readonly unknown[]>> = {
    nodes: views,
    systems: systems.map(({ nodes, inFlight }) =>
      frozen(systemViewOf(protocol, Object.freeze(nodes.map(viewAt)), () => frozen(inFlight))),
    ),
    steps: steps.map(({ before, after, ...step }) =>
      Object.freeze({ before: viewAt(before), after: viewAt(after), ...frozen(step) }),
    ),
  };
  const allowChance = refuseChance();
  try {
    return properties.map((property) => {
      const { name, kind, most, per, of }: Answers = { ...property, answers: {} };
      const answers = lookedAt(property).map(([field, what]) => [
        field,
        all[what].map((view) => answered(property, field, view)),
      ]);
      return { name, kind, ...defined({ most, per, of }), answers: Object.fromEntries(answers) };
    });
  } finally {
    allowChance();
  }
}

function answered(property: Property, field: string, view: unknown): Answer {
  try {
    if (property.kind === 'increases')
      return numberOf(property, property.numberOf, view as NodeView) ?? null;
    const holds = Object(property)[field]; // a function, by isProperty
    return answerOf(property, holds, view);
  } catch (error) {
    const { cause = error } = Object(error);
    const reason = String(Object(cause).message ?? cause);
    // who asks says again which property fails
    return { error: reason.replace(`Property '${property.name}' `, '') };
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

type Order = Readonly<Record<About, readonly number[]>>;

/** What the properties are asked: each node, system and step of the explored versions, once. */
export class Questions {
  readonly #asked = { nodes: [], systems: [], steps: [] } as { [A in About]: Asked[A][number][] };
  readonly #places: Readonly<Record<About, Map<string, number>>> = {
    nodes: new Map(),
    systems: new Map(),
    steps: new Map(),
  };
  #isOpen = true;

  /** Notes whatever it is explored with; they hold everywhere. */
  readonly recorders: readonly Property[] = [
    { name: 'worlds', kind: 'always', holds: (system) => this.placeOf('systems', system) >= 0 },
    { name: 'steps', kind: 'everyStep', allows: (step) => this.placeOf('steps', step) >= 0 },
  ];

  constructor(private readonly seed: number) {}

  close(): this {
    this.#isOpen = false;
    return this;
  }

  placeOf(about: About, view: unknown): number {
    if (about === 'nodes') {
      const { id, role, value, context, tags, crashed, history } = view as NodeView;
      const node = { id, role, value, context, tags: [...tags].sort(), crashed, history };
      return this.#place('nodes', node);
    }
    if (about === 'systems') {
      const system = view as SystemView;
      const nodes = system.nodes.map((node) => this.placeOf('nodes', node));
      return this.#place('systems', { nodes, inFlight: system.inFlight() });
    }
    const { before, after, ...step } = view as NodeStep;
    const [from, to] = [this.placeOf('nodes', before), this.placeOf('nodes', after)];
    return this.#place('steps', { ...step, before: from, after: to });
  }

  #place<A extends About>(about: A, data: Asked[A][number]): number {
    const key = canonical(data);
    const known = this.#places[about].get(key);
    if (known !== undefined) return known;
    if (!this.#isOpen) throw new Error('not asked'); // of a world that no version reaches
    const list: Asked[A][number][] = this.#asked[about];
    this.#places[about].set(key, list.length);
    return list.push(JSON.parse(key)) - 1;
  }

  /** As the submission gets them when it is loaded the first, or the second time. */
  asked(load: number): Asked {
    const random = new Random(this.seed).fork(`disguise ${load}`);
    const { nodes, systems, steps } = this.#asked;
    const order = this.#order(load);
    const at: number[] = [];
    for (const [place, node] of order.nodes.entries()) at[node] = place;
    const placed = (node: number) => at[node] as number; // each node has a place
    const renamed = renaming(new Set(nodes.map(({ id }) => id)), random);
    const other = { [`_${random.below(2 ** 30)}`]: random.below(2 ** 30) };
    const inOrder = <T>(items: readonly T[], places: readonly number[]) =>
      places.map((place) => items[place] as T); // a permutation
    return {
      nodes: inOrder(nodes, order.nodes).map(({ id, context, history, ...node }) => {
        const fields = random.shuffled(Object.entries({ ...renamed(context), ...other }));
        const all = { ...node, id: renamed(id), context: Object.fromEntries(fields) };
        return history === undefined ? all : { ...all, history: renamed(history) };
      }),
      systems: inOrder(systems, order.systems).map(({ nodes, inFlight }) => ({
        nodes: nodes.map(placed),
        inFlight: renamed(inFlight),
      })),
      steps: inOrder(steps, order.steps).map(({ before, after, ...step }) => ({
        ...renamed(step),
        before: placed(before),
        after: placed(after),
      })),
    };
  }

  #order(load: number): Order {
    const random = new Random(this.seed).fork(`order ${load}`);
    const shuffled = (about: About) => random.shuffled([...this.#asked[about].keys()]);
    return { nodes: shuffled('nodes'), systems: shuffled('systems'), steps: shuffled('steps') };
  }

  /** The properties that give these answers, which are of the module loaded once and again. */
  propertiesOf(loads: readonly (readonly Answers[])[]): readonly TabledProperty[] {
    const orders = loads.map((_, load) => this.#order(load));
    const [first = []] = loads;
    return first.map(({ answers: _, ...one }, index) => {
      const same = loads.map((all) => all[index]).filter((again) => again?.name === one.name);
      let [isSteady, isConstant] = [same.length === loads.length, true];
      const tables = lookedAt(one).map(([field, what]) => {
        const [table = [], ...others] = same.map((again, load) => {
          const places = orders[load]?.[what] ?? [];
          return again?.answers[field]?.reduce<Answer[]>((all, answer, asked) => {
            all[places[asked] as number] = answer; // each answer is to a question
            return all;
          }, []);
        });
        isSteady &&= others.every((other = []) =>
          table.every((answer, place) => textOf(answer) === textOf(other[place])),
        );
        isConstant &&= new Set(table.map(textOf)).size <= 1;
        return [field, (view: unknown) => answerValue(table[this.placeOf(what, view)])];
      });
      return {
        property: { ...one, ...Object.fromEntries(tables) }, // with the fields of its kind
        ...{ isSteady, isConstant },
      };
    });
  }
}

/** Errors are alike, whatever names of nodes they say. */
const textOf = (answer: Answer | undefined): string =>
  typeof answer === 'object' ? typeof answer?.error : String(answer);

function answerValue(answer: Answer | undefined): boolean | number | undefined {
  if (typeof answer === 'object' && answer) throw badInput(answer.error, '');
  return answer ?? undefined;
}

/** Gives nodes other names, which are in the same order, in plain data. */
function renaming(ids: ReadonlySet<string>, random: Random): <T>(data: T) => T {
  const drawn = new Set<string>();
  while (drawn.size < ids.size) drawn.add(`n${random.below(2 ** 30).toString(36)}`);
  const names = [...drawn].sort();
  const known = new Map([...ids].sort().map((id, place) => [id, names[place] ?? id]));
  const renamed = (data: unknown): unknown => {
    if (typeof data === 'string') return known.get(data) ?? data;
    if (typeof data !== 'object' || data === null) return data;
    if (Array.isArray(data)) return data.map(renamed);
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [known.get(key) ?? key, renamed(value)]),
    );
  };
  return <T>(data: T) => renamed(data) as T; // of the same form
}

/** A property that is a table of answers. */
export interface TabledProperty {
  readonly property: Property;
  /** Whether it answered the same when it was asked again. */
  readonly isSteady: boolean;
  /** Whether it has one answer for all. */
  readonly isConstant: boolean;
}
