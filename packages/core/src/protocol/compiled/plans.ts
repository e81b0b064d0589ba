import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, EventObject } from 'xstate';
import { inertScope } from '../transition.js';
import { Actions } from './actions.js';
import { type Configurations, keyOf, type NumberedConfiguration } from './configurations.js';
import { Guards, Selectors } from './guards.js';
import { type Mark, NotCompilable, Recorder, type Recording } from './recorder.js';
import type { Configuration, Op, Plan, PlanTree, Scope, Selector, Situation } from './situation.js';

/** Events that XState itself treats in another way. */
const special = new Set(['*', 'xstate.init', 'xstate.stop']);

const refuse = () => {
  throw new NotCompilable('takes an event of XState');
};
const toXState: Selector = {
  regions: [],
  candidates: [{ transition: -1, guard: refuse, plan: undefined }],
};

/** The plan of the first microstep. */
type First = Plan & { readonly before: Situation };

/**
 * The situations of a machine and the plans of its microsteps, each made when it is first needed.
 */
export class Plans {
  readonly #recorder: Recorder;
  readonly #selectors: Selectors;
  readonly #situations = new Map<string, Situation>();
  /** By number of configuration. */
  readonly #resting: Situation[] = [];
  readonly scope: Scope;
  /** Whether an action logs. */
  readonly logs: boolean;
  readonly #transitions: readonly (readonly Op[])[];
  readonly #nodes: readonly {
    readonly entry: readonly Op[];
    readonly exit: readonly Op[];
    readonly initial: readonly Op[];
  }[];
  readonly #ordered: boolean;
  #first: First | undefined;

  /** @throws {NotCompilable} for what the compiler cannot express. */
  constructor(
    machine: AnyStateMachine,
    private readonly configurations: Configurations,
  ) {
    const { nodes } = configurations;
    requirePlain(nodes);
    this.scope = inertScope(machine);
    this.#recorder = new Recorder(machine);
    const guards = new Guards(machine);
    const actions = new Actions(machine, guards, this.scope);
    const ops = (list: readonly unknown[]) => list.map((action) => actions.compiled(action));
    this.#selectors = new Selectors(configurations, this.#recorder, guards);
    this.#transitions = this.#selectors.transitions.map((transition) => ops(transition.actions));
    this.#nodes = nodes.map(({ entry, exit, initial }) => ({
      entry: ops(entry),
      exit: ops(exit),
      initial: ops(initial.actions),
    }));
    this.logs = actions.logs;
    this.#ordered = nodes.some(({ type }) => type === 'parallel');
  }

  /** The first microstep of the machine, and the situation in which its actions find themselves. */
  initial(): First {
    this.#first ??= this.#initial();
    return this.#first;
  }

  #initial(): First {
    const before = this.#situation(this.#recorder.blank);
    return { ...this.#plan(this.#recorder.initial()), before };
  }

  /**
   * The situation of a configuration between two steps; of one of another machine, that of the same
   * parts.
   */
  resting(configuration: Configuration): Situation {
    const known = this.#resting[configuration.number];
    if (known?.configuration === configuration) return known;
    const { value, history, status } = configuration;
    const own = this.configurations.owns(configuration)
      ? configuration
      : this.configurations.resolve(value, history, status);
    const made = this.#interned(this.configurations.numbered(own));
    made.configuration = own;
    this.#resting[own.number] = made;
    return made;
  }

  /** The configuration in which a macrostep ends that ends in this situation. */
  configuration(at: Situation): Configuration {
    at.configuration ??= this.configurations.at(at);
    return at.configuration;
  }

  selector(at: Situation, type: string): Selector | null {
    const known = at.selectors.get(type);
    if (known !== undefined) return known;
    const made = special.has(type) ? toXState : this.#selectors.of(at, type);
    at.selectors.set(type, made);
    return made;
  }

  always(at: Situation): Selector | null {
    if (at.always === undefined) at.always = this.#selectors.always(at);
    return at.always;
  }

  /** The plan of these enabled transitions. */
  plan(at: Situation, transitions: readonly number[]): Plan {
    let tree = at.plans;
    for (const transition of transitions) {
      const next: PlanTree = tree.next.get(transition) ?? { plan: undefined, next: new Map() };
      tree.next.set(transition, next);
      tree = next;
    }
    tree.plan ??= this.#plan(this.#recorder.microstep(at, transitions), at);
    return tree.plan;
  }

  #plan({ marks, reached, changes }: Recording, at?: Situation): Plan {
    return {
      ops: marks.flatMap((mark) => this.#ops(mark)),
      next: at && !changes ? at : this.#situation(reached),
      changes,
    };
  }

  #situation(snapshot: AnyMachineSnapshot): Situation {
    return this.#interned(this.configurations.numberedOf(snapshot));
  }

  #interned({ nodes, history, value, status }: NumberedConfiguration): Situation {
    const numbered = {
      nodes: this.#ordered ? nodes : [...nodes].sort((a, b) => a - b),
      history,
      value,
      status,
    };
    const key = keyOf(numbered);
    const known = this.#situations.get(key);
    if (known) return known;
    const plans = { plan: undefined, next: new Map() };
    const made: Situation = {
      ...numbered,
      configuration: undefined,
      selectors: new Map(),
      always: undefined,
      plans,
    };
    this.#situations.set(key, made);
    return made;
  }

  #ops(mark: Mark): readonly Op[] {
    switch (mark.kind) {
      case 'transition':
        return this.#transitions[mark.transition] ?? [];
      case 'done': {
        const output = this.#output(mark.output);
        return [
          (run, event) =>
            run.raised.push({ ...mark.event, output: output(run.context, event) } as EventObject),
        ];
      }
      case 'output': {
        const [inner, whole] = [this.#output(mark.output), this.#output(0)];
        return [
          (run, event) =>
            whole(run.context, { ...mark.event, output: inner(run.context, event) } as EventObject),
        ];
      }
      default:
        return this.#nodes[mark.node]?.[mark.kind] ?? [];
    }
  }

  /** How the output of a final state, or of the machine, is computed. */
  #output(number: number | undefined): (context: object, event: EventObject) => unknown {
    const output: unknown =
      number === undefined ? undefined : this.configurations.nodes[number]?.output;
    if (typeof output !== 'function') return () => output;
    const { self } = this.scope;
    return (context, event) => output({ context, event, self });
  }
}

function requirePlain(nodes: readonly AnyStateNode[]): void {
  if (new Set(nodes.map(({ id }) => id)).size < nodes.length)
    throw new NotCompilable('has two states with the same id');
  for (const { id, invoke, output, order } of nodes) {
    if (invoke.length > 0) throw new NotCompilable(`invokes an actor in '${id}'`);
    if (
      typeof output === 'object' &&
      output !== null &&
      Object.values(output).some((field) => typeof field === 'function')
    )
      throw new NotCompilable(`has an output of functions in '${id}'`);
    if (nodes[order]?.id !== id) throw new NotCompilable('has states out of order');
  }
}
