/** Guards as functions of a situation, and which transition of a state they select. */
import {
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  type EventObject,
  matchesState,
  type StateValue,
} from 'xstate';
import { checks } from '../regions.js';
import type { Configurations } from './configurations.js';
import { NotCompilable, type Recorder, transitionsOf } from './recorder.js';
import type { Candidate, Context, Guard, Selector, Situation } from './situation.js';

type Predicate = (
  args: { readonly context: Context; readonly event: EventObject },
  params: unknown,
) => unknown;
type Params = (args: { readonly context: Context; readonly event: EventObject }) => unknown;

/** XState's own shape of `and`, `or`, `not` and `stateIn`. */
interface Combined {
  readonly check?: unknown;
  readonly guards?: readonly unknown[];
  readonly stateValue?: StateValue;
}

const isTrue = () => true;

/** Deeper guards refer to themselves. */
const deepest = 100;

/** The guards of one machine. */
export class Guards {
  readonly #known = new Map<unknown, Guard>();

  constructor(private readonly machine: AnyStateMachine) {}

  /** @throws {NotCompilable} for a guard that is not XState's, or does not exist. */
  compiled(guard: unknown, depth = 0): Guard {
    if (depth > deepest) throw new NotCompilable('has a guard that refers to itself');
    if (typeof guard !== 'function' && typeof guard !== 'string') return this.#make(guard, depth);
    const known = this.#known.get(guard);
    if (known) return known;
    const made = this.#make(guard, depth);
    this.#known.set(guard, made);
    return made;
  }

  #make(guard: unknown, depth: number): Guard {
    if (typeof guard === 'function') return this.#function(guard as Predicate, undefined, depth);
    const named = typeof guard === 'string' ? { type: guard } : guard;
    if (typeof named !== 'object' || named === null || !('type' in named))
      throw new NotCompilable('has a guard that XState does not know');
    const { type } = named;
    const guards: Readonly<Record<string, unknown>> = this.machine.implementations.guards;
    const found = guards[String(type)];
    if (!found) throw new NotCompilable(`uses the guard '${String(type)}', which does not exist`);
    if (typeof found !== 'function') return this.compiled(found, depth + 1);
    return this.#function(found as Predicate, 'params' in named ? named.params : undefined, depth);
  }

  #function(found: Predicate, params: unknown, depth: number): Guard {
    if ('check' in found) {
      const combined = this.#combined(found as Combined, depth);
      if (typeof params !== 'function') return combined;
      return (context, event, at) => {
        params({ context, event });
        return combined(context, event, at);
      };
    }
    if (typeof params === 'function') {
      const ask = params as Params; // XState's type of it
      return (context, event) => {
        const given = ask({ context, event });
        return found({ context, event }, given);
      };
    }
    return (context, event) => found({ context, event }, params);
  }

  #combined({ check, guards = [], stateValue }: Combined, depth: number): Guard {
    const inner = () => guards.map((guard) => this.compiled(guard, depth + 1));
    if (check === checks.and) {
      const all = inner();
      return (context, event, at) => {
        for (const guard of all) if (!guard(context, event, at)) return false;
        return true;
      };
    }
    if (check === checks.or) {
      const some = inner();
      return (context, event, at) => {
        for (const guard of some) if (guard(context, event, at)) return true;
        return false;
      };
    }
    if (check === checks.not) {
      const [guard = isTrue] = inner();
      return (context, event, at) => !guard(context, event, at);
    }
    if (check === checks.stateIn && stateValue !== undefined) return this.#stateIn(stateValue);
    throw new NotCompilable('has a guard of another copy of XState');
  }

  #stateIn(stateValue: StateValue): Guard {
    const known = new Map<Situation, boolean>();
    const ask = ({ nodes, value }: Situation): boolean => {
      if (typeof stateValue !== 'string' || !stateValue.startsWith('#'))
        return matchesState(stateValue, value);
      const { order } = this.machine.getStateNodeById(stateValue);
      return nodes.includes(order);
    };
    return (_context, _event, at) => {
      const before = known.get(at);
      if (before !== undefined) return before;
      const answer = ask(at);
      known.set(at, answer);
      return answer;
    };
  }
}

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
