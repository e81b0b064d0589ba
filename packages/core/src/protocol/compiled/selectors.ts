import type { AnyStateNode, AnyTransitionDefinition, StateValue } from 'xstate';
import type { Configurations } from './configurations.js';
import type { Guards } from './guards.js';
import { type Recorder, transitionsOf } from './recorder.js';
import type { Candidate, Guard, Selector, Situation } from './situation.js';

/** The transitions of a machine that may be enabled, in the order in which XState asks them. */
export class Selectors {
  readonly transitions: readonly AnyTransitionDefinition[];
  readonly #guards: readonly (Guard | undefined)[];
  readonly #numbers: ReadonlyMap<AnyTransitionDefinition, number>;

  /** @throws {NotCompilable} for a guard that cannot be compiled. */
  constructor(
    private readonly configurations: Configurations,
    private readonly recorder: Recorder,
    guards: Guards,
  ) {
    this.transitions = transitionsOf(configurations.nodes);
    const always = new Set(configurations.nodes.flatMap((node) => node.always ?? []));
    this.#numbers = new Map(this.transitions.map((transition, number) => [transition, number]));
    this.#guards = this.transitions.map((transition) => {
      const guard: unknown = transition.guard;
      // XState's two ways to see it
      const isAbsent = always.has(transition) ? guard === undefined : !guard;
      return isAbsent ? undefined : guards.compiled(guard);
    });
  }

  /** Null where no state node of `at` lists an event like `type`. */
  of({ value }: Situation, type: string): Selector | null {
    return this.#ofNode(this.configurations.nodes[0] as AnyStateNode, value, type); // the root
  }

  /**
   * As XState's selection goes through a state value: the innermost state nodes first, their
   * ancestors if those select nothing.
   */
  #ofNode(node: AnyStateNode, value: StateValue, type: string): Selector | null {
    const own = this.#candidates(node, type);
    if (typeof value === 'string')
      return selector([], [...this.#candidates(childOf(node, value), type), ...own]);
    const keys = Object.keys(value);
    const inner = keys.flatMap((key) => {
      const deeper = value[key];
      return deeper ? (this.#ofNode(childOf(node, key), deeper, type) ?? []) : [];
    });
    const [only] = inner;
    if (!only) return selector([], own);
    return inner.length === 1
      ? selector(only.regions, [...only.candidates, ...own])
      : selector(inner, own);
  }

  #candidates(node: AnyStateNode, type: string): Candidate[] {
    return this.recorder
      .candidates(node.order, type)
      .map((transition) => this.#candidate(transition));
  }

  #candidate(transition: number): Candidate {
    return { transition, guard: this.#guards[transition], plan: undefined };
  }

  /**
   * Of `always`: for each innermost state node, the first that holds, of itself or else of its
   * ancestors.
   */
  always({ nodes }: Situation): Selector | null {
    const chains = nodes.flatMap((number) => {
      const node = this.configurations.nodes[number] as AnyStateNode; // a number of this machine
      if (node.type !== 'atomic' && node.type !== 'final') return [];
      const listed: AnyTransitionDefinition[] = [];
      for (let at: AnyStateNode | undefined = node; at; at = at.parent)
        listed.push(...(at.always ?? []));
      const candidates = listed.map((transition) =>
        this.#candidate(this.#numbers.get(transition) as number),
      ); // all are numbered
      return candidates.length > 0 ? [{ regions: [], candidates }] : [];
    });
    const [only] = chains;
    if (!only) return null;
    return chains.length === 1 ? only : { regions: chains, candidates: [] };
  }
}

const selector = (
  regions: readonly Selector[],
  candidates: readonly Candidate[],
): Selector | null => (regions.length + candidates.length === 0 ? null : { regions, candidates });

/** XState takes a key that begins with `#` for an id. */
function childOf(node: AnyStateNode, key: string): AnyStateNode {
  return key.startsWith('#')
    ? node.machine.getStateNodeById(key)
    : (node.states[key] as AnyStateNode); // a key of an active state node
}
