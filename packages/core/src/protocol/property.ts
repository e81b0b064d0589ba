import type { StateValue } from 'xstate';
import { ConclaveError } from './error.js';
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
}

/** A message on its way. */
export interface InFlight {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: Message;
}

/** The whole system at one moment. `live`, `count`, `tagged` and `distinct` are cheap in every host; going through `nodes` or `inFlight` is not. */
export interface SystemView {
  readonly nodes: readonly NodeView[];
  node(id: NodeId): NodeView;
  /** How many nodes are not crashed. */
  readonly live: number;
  /** How many live nodes carry `tag`. */
  count(tag: string): number;
  /** The live nodes that carry `tag`, in the order of the topology. */
  tagged(tag: string): readonly NodeView[];
  /** The different values that `field` has in the contexts of the live nodes that carry `tag`; plain values are told apart by `===`. */
  distinct(tag: string, field: string): readonly unknown[];
  /** The messages on their way, of one type or of all. */
  inFlight(type?: string): readonly InFlight[];
}

/**
 * What a protocol promises (or, for `sometimes`, what its check must have seen happen), with a plain sentence as its name.
 *
 * - `always`, `never`: in each reachable state.
 * - `sometimes`: in some reachable state; a check that never reaches it has checked nothing.
 * - `eventually`: at some moment of every run.
 * - `leadsTo`: for each node by itself, whenever `holds`, later `then`.
 * - `atMost`: at every moment of every run, so many messages for each command of one type so far.
 * - `increases`: whenever a node comes to have a number, that is larger than all that any node had before.
 * - `everyStep`: of each step of each node, seen from before and after.
 * - `overtaken`: while a node waits, each other one enters at most so many times.
 */
export type Property<V = SystemView, N = NodeView> =
  | SystemProperty<'always', V>
  | SystemProperty<'never', V>
  | SystemProperty<'sometimes', V>
  | SystemProperty<'eventually', V>
  | LeadsTo<N>
  | AtMost
  | Increases<N>
  | EveryStep<N>
  | Overtaken<N>;

/** What every property has. */
export interface Named {
  /** A plain sentence. */
  readonly name: string;
  /**
   * Why the property may have nothing to look at, such as a trigger that this network never brings about. Without it, a check in which that is so
   * says `vacuous` instead of `holds`.
   */
  readonly vacuous?: string;
}

export interface SystemProperty<K extends string, V = SystemView> extends Named {
  readonly kind: K;
  readonly holds: (system: V) => boolean;
}

export interface LeadsTo<N = NodeView> extends Named {
  readonly kind: 'leadsTo';
  readonly holds: (node: N) => boolean;
  readonly then: (node: N) => boolean;
}

/** What nodes have sent is at most `most` times as much as the application has commanded. */
export interface AtMost extends Named {
  readonly kind: 'atMost';
  readonly most: number;
  /** The command: a wish of the protocol. */
  readonly per: string;
  /** The types of the messages that count; undefined: all do. */
  readonly of?: readonly string[];
}

/** The numbers that nodes come to have, one after another, grow. */
export interface Increases<N = NodeView> extends Named {
  readonly kind: 'increases';
  /** The number that a node has; undefined where it has none. */
  readonly numberOf: (node: N) => number | undefined;
}

/** What a node reacts to in one step. */
export type Cause =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'message'; readonly message: Message; readonly from: NodeId }
  | { readonly kind: 'timeout'; readonly timer: string }
  | { readonly kind: 'choice'; readonly value: Json };

/** One step of one node. A step that asks for a choice ends there; the answer is a step of its own. Starts, crashes and restarts are no steps. */
export interface NodeStep<N = NodeView> {
  readonly before: N;
  readonly after: N;
  readonly cause: Cause;
  readonly sent: readonly { readonly to: NodeId; readonly message: Message }[];
  /** What the application was told. */
  readonly notified: readonly Message[];
}

/** Each step of each node is so. */
export interface EveryStep<N = NodeView> extends Named {
  readonly kind: 'everyStep';
  readonly allows: (step: NodeStep<N>) => boolean;
}

/** While one node waits, each other one comes to be inside at most `most` times. */
export interface Overtaken<N = NodeView> extends Named {
  readonly kind: 'overtaken';
  readonly most: number;
  readonly waits: (node: N) => boolean;
  readonly inside: (node: N) => boolean;
}

/**
 * What a check found: `reached` / `unreached` for `sometimes`; `incomplete` when the check ended before it could be known; `vacuous` where nothing
 * was found against a property that had nothing to look at.
 */
export type Verdict = 'holds' | 'violated' | 'reached' | 'unreached' | 'incomplete' | 'vacuous';

type Predicate<V> = (system: V) => boolean;

/** What else may be said of a property; see {@link Named}. */
export type PropertyOptions = Pick<Named, 'vacuous'>;

export const always = <V = SystemView>(name: string, holds: Predicate<V>, options: PropertyOptions = {}): SystemProperty<'always', V> => ({
  kind: 'always',
  name,
  holds,
  ...options,
});
export const never = <V = SystemView>(name: string, holds: Predicate<V>, options: PropertyOptions = {}): SystemProperty<'never', V> => ({
  kind: 'never',
  name,
  holds,
  ...options,
});
export const sometimes = <V = SystemView>(name: string, holds: Predicate<V>): SystemProperty<'sometimes', V> => ({
  kind: 'sometimes',
  name,
  holds,
});
export const eventually = <V = SystemView>(
  name: string,
  holds: Predicate<V>,
  options: PropertyOptions = {},
): SystemProperty<'eventually', V> => ({ kind: 'eventually', name, holds, ...options });

/**
 * For each node by itself: whenever `holds`, later `then`. Both may look at that node only.
 *
 * @example leadsTo('every waiting node enters', (node) => node.tags.has('waiting'), (node) => node.tags.has('critical'))
 */
export function leadsTo(name: string, holds: Predicate<NodeView>, then: Predicate<NodeView>, options?: PropertyOptions): LeadsTo;
export function leadsTo<N>(name: string, holds: Predicate<N>, then: Predicate<N>, options?: PropertyOptions): LeadsTo<N>;
export function leadsTo<N>(name: string, holds: Predicate<N>, then: Predicate<N>, options: PropertyOptions = {}): LeadsTo<N> {
  return { kind: 'leadsTo', name, holds, then, ...options };
}

/**
 * At every moment of every run: the messages that nodes have sent, of all types or those of `of`, are at most `most` times the commands `per`
 * given so far. `per` must be a wish. A copy that a channel makes of a message is not sent by anyone.
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
  }: { readonly per: string; readonly of?: readonly string[]; readonly name?: string } & PropertyOptions,
): AtMost {
  if (!Number.isSafeInteger(most) || most < 0)
    throw new ConclaveError('bad-input', `At most ${most} messages per ${per}: that is no count`, 'Give a whole number, 0 or more.');
  if (of?.length === 0)
    throw new ConclaveError('bad-input', `'${name}' counts no messages`, 'Name their types, or leave out of: then all count.');
  return { kind: 'atMost', name, most, per, ...(of ? { of } : {}), ...options };
}

/**
 * Whenever a node comes to have a number, or another one than before, that is larger than every number that any node had before.
 *
 * @example increases('terms only grow', ({ tags, context }) => (tags.has('leader') ? Number(context.term) : undefined))
 */
export function increases(name: string, numberOf: (node: NodeView) => number | undefined, options: PropertyOptions = {}): Increases {
  return { kind: 'increases', name, numberOf, ...options };
}

/**
 * Each step of each node is so: what a node may do only in a certain state, and what it may not go back on.
 *
 * @example everyStep('a leader stays one', ({ before, after }) => !before.tags.has('leader') || after.tags.has('leader'))
 */
export function everyStep(name: string, allows: (step: NodeStep) => boolean, options: PropertyOptions = {}): EveryStep {
  return { kind: 'everyStep', name, allows, ...options };
}

/**
 * While one node waits, without a break, each other one comes to be inside at most `most` times: bounded overtaking. By default nodes wait where they
 * are tagged `waiting`, and are inside where they are tagged `critical`.
 *
 * @throws {ConclaveError} `bad-input` for a `most` that is no count.
 * @example overtaken(1) // 'while a node waits, each other one enters at most once'
 */
export function overtaken(
  most: number,
  {
    waits = (node) => node.tags.has('waiting'),
    inside = (node) => node.tags.has('critical'),
    name = `while a node waits, each other one enters at most ${most === 1 ? 'once' : `${most} times`}`,
    ...options
  }: { readonly waits?: Predicate<NodeView>; readonly inside?: Predicate<NodeView>; readonly name?: string } & PropertyOptions = {},
): Overtaken {
  if (!Number.isSafeInteger(most) || most < 0)
    throw new ConclaveError('bad-input', `Overtaken at most ${most} times: that is no count`, 'Give a whole number, 0 or more.');
  return { kind: 'overtaken', name, most, waits, inside, ...options };
}

/** The kinds of properties that are of single states. */
const ofStates: readonly Property['kind'][] = ['always', 'never', 'sometimes'];

/** Whether a property is one of runs, not of single states: some searches forget those. */
export const isOfRuns = ({ kind }: { readonly kind: Property['kind'] }): boolean => !ofStates.includes(kind);

function costText(most: number, per: string, of: readonly string[] = []): string {
  const types = of.length > 0 ? `${of.join(' or ')} ` : '';
  return `at most ${most} ${types}${most === 1 ? 'message' : 'messages'} per ${per}`;
}
