import {
  answerOf,
  checkCosts,
  checkProperties,
  everyMessageHandled,
  kindOfProperty,
  noStepFails,
  violatedBy,
  waitingOf,
} from '@conclave/core/internal';
import type {
  ConclaveError,
  NodeView,
  Property,
  PropertyOf,
  SystemView,
} from '@conclave/core/protocol';
import { CompiledView } from '../../search/tables/compiled-view.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { Projection } from '../../search/traversal/kernel-search.js';
import { canonical } from '../../worlds/canonical.js';
import { noDeadlock, standardPropertiesOf } from '../../worlds/standard-properties.js';
import { findBoundViolation, tallyOf } from './bounds.js';
import type {
  CompiledProperty,
  Evidence,
  Instance,
  Searched,
  StateProperty,
} from './compiled-property.js';
import { findDecrease, numbersOf } from './increase.js';
import { findOvertaking, type Overtaking } from './overtaking.js';
import { type Reads, WatchedView } from './reads.js';
import { WrongSteps } from './step-violation.js';
import { Vacuity } from './vacuity.js';

/** The properties of a protocol, compiled to predicates of vectors. */
export class CompiledProperties {
  /** Those of the protocol, or the given ones. */
  readonly declared: readonly CompiledProperty[];
  /** Those that an action that fails violates. */
  readonly faults: readonly CompiledProperty[];
  /** Undefined if the protocol declares that no node ever waits. */
  readonly deadlocks: StateProperty | undefined;
  /** What they have read so far; undefined without `reads`. */
  readonly seen: Seen | undefined;
  readonly #view: CompiledView;
  /** The view that properties get of the current world: a new object each time. */
  readonly #seen: () => SystemView;
  readonly #vacuity: Vacuity;

  /** `reads` records what the properties look at. */
  constructor(
    private readonly compiled: CompiledWorlds,
    properties: readonly Property[],
    reads: Reads | undefined,
  ) {
    const { protocol, budget } = compiled.worlds;
    this.faults = standardPropertiesOf(budget.unexpected)
      .filter((name) => name !== noDeadlock)
      .map((name) => ({ name, kind: 'always', holds: () => true }));
    checkCosts(protocol, properties);
    if (properties !== protocol.properties)
      checkProperties(protocol, properties, compiled.worlds.topology);
    const view = new CompiledView(compiled);
    this.#view = view;
    this.seen = reads && new Seen(compiled, view, reads);
    const nodes = new WeakMap<NodeView, NodeView>();
    this.#seen = () => (reads ? new WatchedView(view.once(), reads, nodes) : view.once());
    this.#vacuity = new Vacuity(compiled);
    this.deadlocks = this.#deadlocks(view);
    this.declared = properties.map((property) => this.#compile(property));
  }

  get all(): readonly CompiledProperty[] {
    const ofName = (name: string) => this.faults.filter((fault) => fault.name === name);
    return [
      ...this.declared,
      ...ofName(everyMessageHandled),
      ...(this.deadlocks ? [this.deadlocks] : []),
      ...ofName(noStepFails),
    ];
  }

  /** Which of {@link faults} an error violates. */
  violatedBy(error: ConclaveError): CompiledProperty {
    const violated = violatedBy(error, this.compiled.worlds.budget.unexpected);
    // it names one of them
    return this.faults.find(({ name }) => name === violated) as CompiledProperty;
  }

  /** `quiet`: the view of the current world. */
  #deadlocks(quiet: SystemView): StateProperty | undefined {
    const { protocol } = this.compiled.worlds;
    const { name, kind } = { name: noDeadlock, kind: 'always' } as const;
    if (protocol.waiting === false) return undefined;
    if (!waitingOf(protocol))
      return { name, kind, holds: () => true, scope: () => ({ isVacuous: true }) };
    const { waiting } = protocol;
    const noneWaits = waiting
      ? () => !quiet.nodes.some((node) => !node.crashed && answerOf({ name }, waiting, node))
      : () => quiet.count('waiting') === 0;
    const holds = (vector: Int32Array) => {
      this.#view.at(vector);
      return noneWaits();
    };
    return { name, kind, holds };
  }

  #compile(property: Property): CompiledProperty {
    kindOfProperty(property);
    const common = {
      name: property.name,
      scope: this.#vacuity.of(property),
      ...(property.vacuous === undefined ? {} : { vacuous: property.vacuous }),
    };
    const { compiled } = this;
    switch (property.kind) {
      case 'always':
      case 'never':
      case 'sometimes':
        return { ...common, kind: property.kind, holds: this.#bySystem(property) };
      case 'eventually':
      case 'almostSurely': {
        const { kind } = property;
        const holds = this.#bySystem(property);
        return { ...common, kind, find: ({ liveness }) => liveness?.findForever(kind, holds) };
      }
      case 'alwaysEventually': {
        const instances = [{ response: this.#bySystem(property) }];
        const find = ({ liveness }: Searched) => liveness?.findUnanswered(instances);
        return { ...common, kind: property.kind, find };
      }
      case 'leadsTo': {
        const instances = this.#instances(property);
        const find = ({ liveness }: Searched) => liveness?.findUnanswered(instances);
        return { ...common, kind: property.kind, find };
      }
      case 'atMost': {
        const tally = tallyOf(compiled, property);
        const find = ({ explored }: Searched) => explored && findBoundViolation(explored, tally);
        return { ...common, kind: property.kind, find, seesAll: tally.seesAll };
      }
      case 'increases': {
        const numbers = numbersOf(compiled, property);
        const find = ({ explored }: Searched) =>
          explored && fromStart(findDecrease(explored, numbers));
        return { ...common, kind: property.kind, find };
      }
      case 'overtaken': {
        const overtaking = this.#overtaking(property);
        const find = ({ explored }: Searched) =>
          explored && fromStart(findOvertaking(explored, overtaking));
        return { ...common, kind: property.kind, find };
      }
      case 'everyStep': {
        const steps = new WrongSteps(compiled, property);
        const find = ({ store }: Searched) => steps.find(store);
        return {
          ...common,
          kind: property.kind,
          find,
          wrongStepIn: (vector) => steps.in(vector),
        };
      }
    }
  }

  /** For each node, what triggers it and what responds. */
  #instances(property: PropertyOf<'leadsTo'>): readonly Instance[] {
    const responds = this.#byConfiguration(
      (node) => node.crashed || answerOf(property, property.then, node),
    );
    const isTriggered = this.#byConfiguration((node) => answerOf(property, property.holds, node));
    return this.compiled.configurations.map((_, node) => ({
      slot: node,
      response: (vector) => responds(vector, node),
      trigger: (vector) => isTriggered(vector, node),
    }));
  }

  #overtaking(property: PropertyOf<'overtaken'>): Overtaking {
    const { most, waits, inside } = property;
    const at = (holds: (node: NodeView) => boolean) =>
      this.#byConfiguration((node) => !node.crashed && answerOf(property, holds, node));
    const { length: nodes } = this.compiled.configurations;
    return { most, isWaiting: at(waits), isInside: at(inside), nodes };
  }

  #bySystem(
    property: Pick<PropertyOf<'always'>, 'name' | 'holds'>,
  ): (vector: Int32Array) => boolean {
    return (vector) => answerOf(property, property.holds, this.#look(vector));
  }

  /** A predicate of single nodes, evaluated once for each configuration. */
  #byConfiguration(
    holds: (node: NodeView) => boolean,
  ): (vector: Int32Array, node: number) => boolean {
    const known: (boolean | undefined)[][] = this.compiled.configurations.map(() => []);
    return (vector, node) => {
      const answers = known[node] as (boolean | undefined)[]; // one for each node
      const configuration = vector[node] as number;
      const answer = answers[configuration] ?? holds(this.#view.at(vector).nodeAt(node));
      answers[configuration] = answer;
      return answer;
    };
  }

  #look(vector: Int32Array): SystemView {
    this.#view.at(vector);
    return this.#seen();
  }
}

const fromStart = (onward: Evidence['onward']): Evidence | undefined =>
  onward && { world: 0, onward };

/**
 * What the properties have read of worlds, as classes of configurations and contents. A property is
 * a function of what it reads, so it has the same value in two worlds that are equal in everything
 * it reads in one of them.
 */
class Seen implements Projection {
  readonly #classes = new Map<string, number>();
  #types: ReadonlySet<string | undefined> = new Set();
  #projection: (node: NodeView) => string = () => '';

  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly view: CompiledView,
    private readonly reads: Reads,
  ) {}

  get size(): number {
    return this.reads.size + this.reads.types.size;
  }

  get seesMessages(): boolean {
    return this.reads.inFlight;
  }

  renew(): void {
    this.#classes.clear();
    this.#projection = this.reads.projection();
    this.#types = new Set(this.reads.types);
  }

  nodeClass(node: number, configuration: number): number {
    if (this.reads.identities) return configuration;
    return this.#class(this.#projection(this.view.viewOf(node, configuration)));
  }

  contentClass(content: number): number {
    const types = this.#types;
    const messages = this.compiled.encoding
      .messagesIn(content)
      .filter(({ type }) => types.has(undefined) || types.has(type));
    return this.#class(canonical(messages));
  }

  #class(text: string): number {
    const known = this.#classes.get(text) ?? this.#classes.size;
    this.#classes.set(text, known);
    return known;
  }
}
