import type { StateValue } from 'xstate';
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
 */
export type Property<V = SystemView, N = NodeView> =
  | SystemProperty<'always', V>
  | SystemProperty<'never', V>
  | SystemProperty<'sometimes', V>
  | SystemProperty<'eventually', V>
  | LeadsTo<N>;

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
