import { type AnyStateMachine, type EventObject, matchesState, type StateValue } from 'xstate';
import { checks } from '../combined-guard.js';
import { NotCompilable } from './not-compilable.js';
import type { Context, Guard, Situation } from './situation.js';

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
