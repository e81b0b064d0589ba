/**
 * Properties: what a protocol guarantees, and what hosts look at to judge it. A kind of property is one
 * member of {@link Property}, the function that makes one, and one row of {@link propertyKinds}: what its
 * functions are given, and what decides it. From the row follow its schema, its trial at definition, its
 * part in a composition, what it reads, when it is vacuous, and how far journals are judged by it. What
 * remains is the algorithm that judges it: on one run (judge/trackers.ts), and on all runs at once.
 */
import type { StateValue } from 'xstate';
import { badInput } from '../base/error.js';
import type { Command, Json, Message, NodeId } from './node.js';

/** One node as a property sees it, in any host. */
export interface NodeView {
  readonly id: NodeId;
  readonly role: string;
  /** The statechart's state value: `'wanted'`, or nested `{ client: 'wanted' }`. */
  readonly value: StateValue;
  readonly context: Readonly<Record<string, unknown>>;
  readonly tags: ReadonlySet<string>;
  readonly crashed: boolean;
  /**
   * The history variable of the node; undefined where the protocol has none, and in an embedded
   * node.
   */
  readonly history?: Json | undefined;
}

/** A message in flight. */
export interface InFlight {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: Message;
}

/**
 * The whole system at one moment. `live`, `count`, `tagged` and `distinct` are cheap in every host;
 * iterating over `nodes` or `inFlight` is not.
 */
export interface SystemView {
  readonly nodes: readonly NodeView[];
  node(id: NodeId): NodeView;
  /** How many nodes are not crashed. */
  readonly live: number;
  /** How many live nodes carry `tag`. */
  count(tag: string): number;
  /** The live nodes that carry `tag`, in the order of the topology. */
  tagged(tag: string): readonly NodeView[];
  /**
   * The distinct values of the context field `field` among the live nodes that carry `tag`; values
   * are compared by `===`.
   */
  distinct(tag: string, field: string): readonly unknown[];
  /** The messages in flight, of one type or of all. */
  inFlight(type?: string): readonly InFlight[];
}

/**
 * What a protocol guarantees, with a plain sentence as its name. A `sometimes` is what a check must
 * reach.
 *
 * - `always`, `never`: in each reachable state.
 * - `sometimes`: in some reachable state; a check that never reaches it has checked too little.
 * - `eventually`: at some moment of every run.
 * - `almostSurely`: with probability 1 at some moment, whatever a scheduler does: only draws are
 *   random.
 * - `alwaysEventually`: after each moment of every run, at some later one; at the end of a run that
 *   ends.
 * - `leadsTo`: for each node by itself, whenever `holds`, later `then`.
 * - `atMost`: in each state of every run, at most so many messages per command of one type so far.
 * - `increases`: each new number of a node is larger than all numbers that any node had before.
 * - `everyStep`: for each step of each node, given its state before and after.
 * - `overtaken`: while a node waits, each other node enters at most so many times.
 */
export type Property<V = SystemView, N = NodeView> = {
  /** A plain sentence. */
  readonly name: string;
  /**
   * Why the property may be unable to fail, such as a trigger that never occurs on some networks.
   * Without it, a check in which the property is vacuous says `vacuous` instead of `holds`.
   */
  readonly vacuous?: string;
  /**
   * It holds as long as no crashed node comes back: `tolerates: ['restart']` does not promise it.
   */
  readonly unless?: 'restart';
} & (
  | { readonly kind: 'always'; readonly holds: (system: V) => boolean }
  | { readonly kind: 'never'; readonly holds: (system: V) => boolean }
  | { readonly kind: 'sometimes'; readonly holds: (system: V) => boolean }
  | { readonly kind: 'eventually'; readonly holds: (system: V) => boolean }
  | { readonly kind: 'almostSurely'; readonly holds: (system: V) => boolean }
  | { readonly kind: 'alwaysEventually'; readonly holds: (system: V) => boolean }
  | {
      readonly kind: 'leadsTo';
      readonly holds: (node: N) => boolean;
      readonly then: (node: N) => boolean;
    }
  | {
      readonly kind: 'atMost';
      readonly most: number;
      /** The type of an optional command. */
      readonly per: string;
      /** The types of the messages that count; undefined: all. */
      readonly of?: readonly string[];
    }
  | {
      readonly kind: 'increases';
      /** The number of a node; undefined where it has none. */
      readonly numberOf: (node: N) => number | undefined;
    }
  | { readonly kind: 'everyStep'; readonly allows: (step: NodeStep<N>) => boolean }
  | {
      readonly kind: 'overtaken';
      readonly most: number;
      readonly waits: (node: N) => boolean;
      readonly inside: (node: N) => boolean;
    }
);

/** The properties of some kinds. */
export type PropertyOf<K extends Property['kind'], V = SystemView, N = NodeView> = Property<
  V,
  N
> & { readonly kind: K };

/**
 * One step of one node. A step ends where the machine asks for a choice; the choice is the next
 * step. Starts, crashes and restarts are no steps.
 */
export interface NodeStep<N = NodeView> {
  readonly before: N;
  readonly after: N;
  /** What the node reacts to. */
  readonly cause:
    | { readonly kind: 'command'; readonly command: Command }
    | { readonly kind: 'message'; readonly message: Message; readonly from: NodeId }
    | { readonly kind: 'timeout'; readonly timer: string }
    | { readonly kind: 'choice'; readonly value: Json };
  readonly sent: readonly { readonly to: NodeId; readonly message: Message }[];
  /** The notifications to the application. */
  readonly notified: readonly Message[];
  /**
   * For the history variable of the node: what the received message carries along, see
   * {@link History}.
   */
  readonly label?: Json;
}

export type Cause = NodeStep['cause'];
export type LeadsTo<N = NodeView> = PropertyOf<'leadsTo', SystemView, N>;
export type AtMost = PropertyOf<'atMost'>;
export type Increases<N = NodeView> = PropertyOf<'increases', SystemView, N>;
export type EveryStep<N = NodeView> = PropertyOf<'everyStep', SystemView, N>;
export type Overtaken<N = NodeView> = PropertyOf<'overtaken', SystemView, N>;

export const always = <V = SystemView>(
  name: string,
  holds: (system: V) => boolean,
  options?: Pick<Property, 'vacuous' | 'unless'>,
): PropertyOf<'always', V> => ({ kind: 'always', name, holds, ...options });
export const never = <V = SystemView>(
  name: string,
  holds: (system: V) => boolean,
  options?: Pick<Property, 'vacuous' | 'unless'>,
): PropertyOf<'never', V> => ({ kind: 'never', name, holds, ...options });
export const sometimes = <V = SystemView>(
  name: string,
  holds: (system: V) => boolean,
): PropertyOf<'sometimes', V> => ({ kind: 'sometimes', name, holds });
export const eventually = <V = SystemView>(
  name: string,
  holds: (system: V) => boolean,
  options?: Pick<Property, 'vacuous' | 'unless'>,
): PropertyOf<'eventually', V> => ({ kind: 'eventually', name, holds, ...options });

/**
 * With probability 1 at some moment of a run, under each fair scheduler: what is drawn is random
 * ({@link draw}), everything else is up to the scheduler, also what is chosen ({@link choose}).
 *
 * @example almostSurely('a leader is found', (system) => system.count('leader') === 1)
 */
export const almostSurely = <V = SystemView>(
  name: string,
  holds: (system: V) => boolean,
  options?: Pick<Property, 'vacuous' | 'unless'>,
): PropertyOf<'almostSurely', V> => ({ kind: 'almostSurely', name, holds, ...options });

/**
 * Again and again: after each moment of every run `holds` is true at some later one, and at the end
 * of a run that ends. Where runs have finitely many commands, and `holds` stays true without one,
 * this says that each command eventually has its effect on the whole system.
 *
 * @example alwaysEventually('all live nodes agree', ({ nodes }) => new Set(nodes.map(({ context })
 * => context.value)).size === 1)
 */
export const alwaysEventually = <V = SystemView>(
  name: string,
  holds: (system: V) => boolean,
  options?: Pick<Property, 'vacuous' | 'unless'>,
): PropertyOf<'alwaysEventually', V> => ({ kind: 'alwaysEventually', name, holds, ...options });

/**
 * For each node by itself: each state where `holds` (the trigger) is followed by one where `then`
 * (the response). Both see that node only.
 *
 * @example leadsTo('every waiting node enters', (node) => node.tags.has('waiting'), (node) =>
 * node.tags.has('critical'))
 */
export const leadsTo = <N = NodeView>(
  name: string,
  holds: (node: N) => boolean,
  then: (node: N) => boolean,
  options?: Pick<Property, 'vacuous' | 'unless'>,
): PropertyOf<'leadsTo', SystemView, N> => ({ kind: 'leadsTo', name, holds, then, ...options });

/**
 * In each state of every run, the messages sent so far, of all types or those in `of`, are at most
 * `most` times the commands `per` given so far. `per` must be an optional command. Copies that a
 * channel makes do not count.
 *
 * @throws {ConclaveError} `bad-input` for a `most` that is no count, and for an empty `of`.
 * @example atMost(2 * (n - 1), { per: 'acquire' }) // 'at most 4 messages per acquire'
 */
export function atMost(
  most: number,
  {
    per,
    of,
    name = costText(most, per, of),
    ...options
  }: {
    readonly per: string;
    readonly of?: readonly string[];
    readonly name?: string;
  } & Pick<Property, 'vacuous' | 'unless'>,
): PropertyOf<'atMost'> {
  requireCount(most, `At most ${most} messages per ${per}`);
  if (of?.length === 0)
    throw badInput(
      `'${name}' counts no messages`,
      'Name their types, or leave out of: then all count.',
    );
  return { kind: 'atMost', name, most, per, ...(of ? { of } : {}), ...options };
}

/**
 * Whenever the number of a node appears or changes, the new number is larger than every number that
 * any node had before.
 *
 * @example increases('terms only grow', ({ tags, context }) => (tags.has('leader') ?
 * Number(context.term) : undefined))
 */
export const increases = (
  name: string,
  numberOf: (node: NodeView) => number | undefined,
  options?: Pick<Property, 'vacuous' | 'unless'>,
): PropertyOf<'increases'> => ({ kind: 'increases', name, numberOf, ...options });

/**
 * Each step of each node satisfies `allows`: what a node may do only in certain states, and what it
 * must not undo.
 *
 * @example everyStep('a leader stays one', ({ before, after }) => !before.tags.has('leader') ||
 * after.tags.has('leader'))
 */
export const everyStep = (
  name: string,
  allows: (step: NodeStep) => boolean,
  options?: Pick<Property, 'vacuous' | 'unless'>,
): PropertyOf<'everyStep'> => ({ kind: 'everyStep', name, allows, ...options });

/**
 * While one node waits without a break, each other node enters at most `most` times: bounded
 * overtaking. By default a node waits where it is tagged `waiting`, and is in its critical section
 * where it is tagged `critical`.
 *
 * @throws {ConclaveError} `bad-input` for a `most` that is no count.
 * @example overtaken(1) // 'while a node waits, each other node enters at most once'
 */
export function overtaken(
  most: number,
  {
    waits = (node) => node.tags.has('waiting'),
    inside = (node) => node.tags.has('critical'),
    name = `while a node waits, each other node enters at most ${most === 1 ? 'once' : `${most} times`}`,
    ...options
  }: {
    readonly waits?: (node: NodeView) => boolean;
    readonly inside?: (node: NodeView) => boolean;
    readonly name?: string;
  } & Pick<Property, 'vacuous' | 'unless'> = {},
): PropertyOf<'overtaken'> {
  requireCount(most, `Overtaken at most ${most} times`);
  return { kind: 'overtaken', name, most, waits, inside, ...options };
}

function requireCount(most: number, claim: string): void {
  if (!Number.isSafeInteger(most) || most < 0)
    throw badInput(`${claim}: that is no count`, 'Give a whole number, 0 or more.');
}

function costText(most: number, per: string, of: readonly string[] = []): string {
  const types = of.length > 0 ? `${of.join(' or ')} ` : '';
  return `at most ${most} ${types}${most === 1 ? 'message' : 'messages'} per ${per}`;
}

/** A function of a property: its name, and what it is given; `number`: a node, of which it tells a number. */
export type FunctionOfProperty = { readonly name: string } & (
  | { readonly sees: 'system'; readonly ask: (system: SystemView) => boolean }
  | { readonly sees: 'node'; readonly ask: (node: NodeView) => boolean }
  | { readonly sees: 'number'; readonly ask: (node: NodeView) => number | undefined }
  | { readonly sees: 'step'; readonly ask: (step: NodeStep) => boolean }
);

/** What all properties of one kind have in common. */
interface Kind {
  /** By name, the first one decides whether there is anything to look at: the trigger. */
  readonly functions: Readonly<Record<string, FunctionOfProperty['sees']>>;
  /** Its other fields, except those that every property has. */
  readonly fields?: readonly ('most' | 'per' | 'of')[];
  /** What may decide it: one state, one step, the beginning of a run, or a whole run only. */
  readonly decidedBy: 'state' | 'step' | 'beginning' | 'run';
  /** What it must answer in each state. */
  readonly answer?: boolean;
  /** Whether plain systems, which have no nodes and no messages, have it, too. */
  readonly isPlain?: true;
  /** Whether a run counts only if optional commands come that stay possible. */
  readonly reliesOnCommands?: true;
  /** By function: what is said where it is true of no node. */
  readonly remarks?: Readonly<Record<string, string>>;
  /** On pages. */
  readonly title: string;
}

const ofSystem = { functions: { holds: 'system' } } as const;

export const propertyKinds: Readonly<Record<Property['kind'], Kind>> = {
  always: { ...ofSystem, decidedBy: 'state', answer: true, isPlain: true, title: 'always' },
  never: { ...ofSystem, decidedBy: 'state', answer: false, isPlain: true, title: 'never' },
  sometimes: { ...ofSystem, decidedBy: 'state', isPlain: true, title: 'sometimes' },
  eventually: {
    ...{ ...ofSystem, decidedBy: 'run', isPlain: true, reliesOnCommands: true },
    title: 'eventually',
  },
  almostSurely: {
    ...{ ...ofSystem, decidedBy: 'run', isPlain: true, reliesOnCommands: true },
    title: 'eventually, with probability 1',
  },
  leadsTo: {
    // biome-ignore lint/suspicious/noThenProperty: a word of temporal logic; nobody awaits a row
    functions: { holds: 'node', then: 'node' },
    ...{ decidedBy: 'run', isPlain: true, title: 'leads to' },
  },
  alwaysEventually: { ...ofSystem, decidedBy: 'run', title: 'again and again' },
  atMost: {
    functions: {},
    fields: ['most', 'per', 'of'],
    ...{ decidedBy: 'beginning', title: 'cost' },
  },
  increases: { functions: { numberOf: 'number' }, decidedBy: 'beginning', title: 'increases' },
  everyStep: { functions: { allows: 'step' }, decidedBy: 'step', title: 'each step' },
  overtaken: {
    functions: { waits: 'node', inside: 'node' },
    fields: ['most'],
    remarks: { inside: 'no node ever enters' },
    ...{ decidedBy: 'beginning', title: 'bounded overtaking' },
  },
};

/**
 * The row of a property.
 *
 * @throws {ConclaveError} `bad-input` for one of no kind, which only JavaScript lets pass.
 */
export function kindOfProperty({ kind }: OfKind): Kind {
  if (Object.hasOwn(propertyKinds, kind)) return propertyKinds[kind];
  throw badInput(
    `A property has the kind '${kind}'`,
    `Give one of ${Object.keys(propertyKinds).join(', ')}.`,
  );
}

/** The functions of a property, in the order of its row. */
export const functionsOf = (property: Property): readonly FunctionOfProperty[] =>
  Object.entries(kindOfProperty(property).functions).map(
    // as the row says
    ([name, sees]) => ({ name, sees, ask: Object(property)[name] }) as FunctionOfProperty,
  );

interface OfKind {
  readonly kind: Property['kind'];
}
type OfStates = { readonly kind: 'always' | 'never' | 'sometimes' };

/** Whether single states decide a property. */
export const isOfStates = <P extends OfKind>(property: P): property is Extract<P, OfStates> =>
  !isOfRuns(property);

/** Whether a property is about runs, not single states: some searches do not keep runs. */
export const isOfRuns = (property: OfKind): boolean =>
  kindOfProperty(property).decidedBy !== 'state';

/**
 * What a check found: `reached` / `unreached` for `sometimes`; `incomplete` where the check ended
 * too early to know; `vacuous` where nothing in the system can make the property true or false: its
 * trigger never occurs, or it reads nothing of the system.
 */
export type Verdict = 'holds' | 'violated' | 'reached' | 'unreached' | 'incomplete' | 'vacuous';
