import { answerOf } from '../../protocol/answer.js';
import { checkProperties } from '../../protocol/check-properties.js';
import { checkCosts } from '../../protocol/cost.js';
import type { NodeView, Property, SystemView } from '../../protocol/property.js';
import { waitingOf } from '../../protocol/protocol.js';
import { handled } from '../../protocol/rules.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import { CompiledView } from '../compiled/compiled-view.js';
import { type Reads, WatchedView } from '../reductions/reads.js';
import { RenamingSensitiveView, type RenamingSensitivity } from '../reductions/renaming-sensitivity.js';
import { tallyOf } from './bound-violation.js';
import { numbersOf } from './increase.js';
import type { CompiledProperty } from './judge.js';
import { findStep } from './step-violation.js';
import { Vacuity } from './vacuity.js';

const noDeadlock = 'no node waits in a quiescent state';

/** What every protocol is checked for besides its own properties: messages that no state handles, and deadlock. */
export const standardProperties: readonly string[] = [handled, noDeadlock];

/** The properties of a protocol as claims about vectors. */
export class CompiledProperties {
  /** Those of the protocol, or those that were asked for. */
  readonly own: readonly CompiledProperty[];
  readonly unhandledMessages: CompiledProperty = { name: handled, kind: 'always', holds: () => true };
  /** Undefined where the protocol says that no node ever waits. */
  readonly deadlocks: CompiledProperty | undefined;
  readonly #view: CompiledView;
  /** What properties see of the world that `#view` is at: another object each time. */
  readonly #seen: () => SystemView;
  readonly #vacuity: Vacuity;

  /** `reads` takes note of what the properties look at; `asked`, of what a renaming may change in it. */
  constructor(
    private readonly compiled: CompiledWorlds,
    properties: readonly Property[],
    reads: Reads | undefined,
    asked?: RenamingSensitivity,
  ) {
    const { protocol } = compiled.worlds;
    checkCosts(protocol, properties);
    if (properties !== protocol.properties) checkProperties(protocol, properties, compiled.worlds.topology);
    const view = new CompiledView(compiled);
    this.#view = view;
    const nodes = new WeakMap<NodeView, NodeView>();
    const watched = () => (reads ? new WatchedView(view.once(), reads, nodes) : view.once());
    this.#seen = asked ? () => new RenamingSensitiveView(watched(), asked) : watched;
    this.#vacuity = new Vacuity(compiled);
    // Worlds at rest are never left out: what is asked of them need not be noted.
    this.deadlocks = this.#deadlocks(asked ? new RenamingSensitiveView(view, asked) : view);
    this.own = properties.map((property) => this.#compile(property));
  }

  get all(): readonly CompiledProperty[] {
    return [...this.own, this.unhandledMessages, ...(this.deadlocks ? [this.deadlocks] : [])];
  }

  /** `quiet`: what it sees of the worlds that `#view` is at. */
  #deadlocks(quiet: SystemView): CompiledProperty | undefined {
    const { protocol } = this.compiled.worlds;
    const { name, kind } = { name: noDeadlock, kind: 'always' } as const;
    if (protocol.waiting === false) return undefined;
    if (!waitingOf(protocol)) return { name, kind, holds: () => true, isVacuous: () => true };
    const { waiting } = protocol;
    const nobodyWaits = waiting
      ? () => !quiet.nodes.some((node) => !node.crashed && answerOf({ name }, waiting, node))
      : () => quiet.count('waiting') === 0;
    const holds = (vector: Int32Array) => {
      this.#view.at(vector);
      return nobodyWaits();
    };
    return { name, kind, holds };
  }

  #compile(property: Property): CompiledProperty {
    const { name, kind } = property;
    const isVacuous = this.#vacuity.of(property);
    const common = { name, kind, isVacuous, ...(property.vacuous === undefined ? {} : { vacuous: property.vacuous }) };
    switch (property.kind) {
      case 'atMost':
        return { ...common, holds: () => true, tally: tallyOf(this.compiled, property) };
      case 'increases':
        return { ...common, holds: () => true, numbers: numbersOf(this.compiled, property) };
      case 'everyStep':
        return { ...common, holds: () => true, violatedStep: (store) => findStep(this.compiled, store, property) };
      case 'overtaken': {
        const { most, waits, inside } = property;
        const at = (holds: (node: NodeView) => boolean) =>
          this.#byConfiguration((node) => !node.crashed && answerOf(property, holds, node));
        const { length: nodes } = this.compiled.configurations;
        return { ...common, holds: () => true, overtaking: { most, isWaiting: at(waits), isInside: at(inside), nodes } };
      }
      case 'leadsTo': {
        const responds = this.#byConfiguration((node) => node.crashed || answerOf(property, property.then, node));
        const isTriggered = this.#byConfiguration((node) => answerOf(property, property.holds, node));
        const instances = this.compiled.configurations.map((_, node) => {
          const response = (vector: Int32Array) => responds(vector, node);
          return { response, trigger: (vector: Int32Array) => !response(vector) && isTriggered(vector, node) };
        });
        return { ...common, holds: () => true, instances };
      }
      default:
        return { ...common, holds: (vector) => answerOf(property, property.holds, this.#look(vector)) };
    }
  }

  /** What is asked of single nodes, asked once for each of their places. */
  #byConfiguration(ask: (node: NodeView) => boolean): (vector: Int32Array, node: number) => boolean {
    const known: (boolean | undefined)[][] = this.compiled.configurations.map(() => []);
    return (vector, node) => {
      const answers = known[node] as (boolean | undefined)[]; // one for each node
      const place = vector[node] as number;
      const answer = answers[place] ?? ask(this.#view.at(vector).nodeAt(node));
      answers[place] = answer;
      return answer;
    };
  }

  #look(vector: Int32Array): SystemView {
    this.#view.at(vector);
    return this.#seen();
  }
}
