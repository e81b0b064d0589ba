import type { StateValue } from 'xstate';
import { ConclaveError } from './error.js';
import type { Message, NodeId } from './node.js';

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
 */
export type Property<V = SystemView, N = NodeView> =
  | SystemProperty<'always', V>
  | SystemProperty<'never', V>
  | SystemProperty<'sometimes', V>
  | SystemProperty<'eventually', V>
  | LeadsTo<N>
  | AtMost
  | Increases<N>;

export interface SystemProperty<K extends string, V = SystemView> {
  readonly kind: K;
  readonly name: string;
  readonly holds: (system: V) => boolean;
}

export interface LeadsTo<N = NodeView> {
  readonly kind: 'leadsTo';
  readonly name: string;
  readonly holds: (node: N) => boolean;
  readonly then: (node: N) => boolean;
}

/** What nodes have sent is at most `most` times as much as the application has commanded. */
export interface AtMost {
  readonly kind: 'atMost';
  readonly name: string;
  readonly most: number;
  /** The command: a wish of the protocol. */
  readonly per: string;
  /** The types of the messages that count; undefined: all do. */
  readonly of?: readonly string[];
}

/** The numbers that nodes come to have, one after another, grow. */
export interface Increases<N = NodeView> {
  readonly kind: 'increases';
  readonly name: string;
  /** The number that a node has; undefined where it has none. */
  readonly numberOf: (node: N) => number | undefined;
}

/** What a check found: `reached` / `unreached` for `sometimes`; `incomplete` when the run ended before it could be known. */
export type Verdict = 'holds' | 'violated' | 'reached' | 'unreached' | 'incomplete';

type Predicate<V> = (system: V) => boolean;

export const always = <V = SystemView>(name: string, holds: Predicate<V>): SystemProperty<'always', V> => ({ kind: 'always', name, holds });
export const never = <V = SystemView>(name: string, holds: Predicate<V>): SystemProperty<'never', V> => ({ kind: 'never', name, holds });
export const sometimes = <V = SystemView>(name: string, holds: Predicate<V>): SystemProperty<'sometimes', V> => ({
  kind: 'sometimes',
  name,
  holds,
});
export const eventually = <V = SystemView>(name: string, holds: Predicate<V>): SystemProperty<'eventually', V> => ({
  kind: 'eventually',
  name,
  holds,
});

/**
 * For each node by itself: whenever `holds`, later `then`. Both may look at that node only.
 *
 * @example leadsTo('every waiting node enters', (node) => node.tags.has('waiting'), (node) => node.tags.has('critical'))
 */
export function leadsTo(name: string, holds: (node: NodeView) => boolean, then: (node: NodeView) => boolean): LeadsTo;
export function leadsTo<N>(name: string, holds: (node: N) => boolean, then: (node: N) => boolean): LeadsTo<N>;
export function leadsTo<N>(name: string, holds: (node: N) => boolean, then: (node: N) => boolean): LeadsTo<N> {
  return { kind: 'leadsTo', name, holds, then };
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
  { per, of, name = costText(most, per, of) }: { readonly per: string; readonly of?: readonly string[]; readonly name?: string },
): AtMost {
  if (!Number.isSafeInteger(most) || most < 0)
    throw new ConclaveError('bad-input', `At most ${most} messages per ${per}: that is no count`, 'Give a whole number, 0 or more.');
  if (of?.length === 0)
    throw new ConclaveError('bad-input', `'${name}' counts no messages`, 'Name their types, or leave out of: then all count.');
  return { kind: 'atMost', name, most, per, ...(of ? { of } : {}) };
}

/**
 * Whenever a node comes to have a number, or another one than before, that is larger than every number that any node had before.
 *
 * @example increases('terms only grow', ({ tags, context }) => (tags.has('leader') ? Number(context.term) : undefined))
 */
export function increases(name: string, numberOf: (node: NodeView) => number | undefined): Increases {
  return { kind: 'increases', name, numberOf };
}

/** Whether a property is one of runs, not of single states: some searches forget those. */
export const isOfRuns = ({ kind }: { readonly kind: Property['kind'] }): boolean =>
  kind === 'eventually' || kind === 'leadsTo' || kind === 'atMost' || kind === 'increases';

function costText(most: number, per: string, of: readonly string[] = []): string {
  const types = of.length > 0 ? `${of.join(' or ')} ` : '';
  return `at most ${most} ${types}${most === 1 ? 'message' : 'messages'} per ${per}`;
}
