import { answerOf } from '../../protocol/answer.js';
import { checkProperties } from '../../protocol/check-properties.js';
import { checkCosts } from '../../protocol/cost.js';
import type { NodeView, Property, SystemView } from '../../protocol/property.js';
import { waitingOf } from '../../protocol/protocol.js';
import { handled } from '../../protocol/rules.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import { CompiledView } from '../compiled/compiled-view.js';
import { type Reads, WatchedView } from '../reductions/reads.js';
import { tallyOf } from './cost.js';
import { numbersOf } from './increase.js';
import type { Claim } from './judge.js';
import { findStep } from './step-violation.js';
import { Vacuity } from './vacuity.js';

const noDeadlock = 'nobody waits when nothing can happen any more';

/** What every protocol is checked for besides its own properties: messages that no state handles, and deadlock. */
export const standardProperties: readonly string[] = [handled, noDeadlock];

/** The properties of a protocol as claims about vectors. */
export class Claims {
  /** Those of the protocol, or those that were asked for. */
  readonly own: readonly Claim[];
  readonly rules: Claim = { name: handled, kind: 'always', holds: () => true };
  /** Undefined where the protocol says that no node ever waits. */
  readonly rest: Claim | undefined;
  readonly #view: CompiledView;
  readonly #watched: WatchedView | undefined;
  readonly #vacuity: Vacuity;

  /** `reads` takes note of what the properties look at. */
  constructor(
    private readonly compiled: CompiledWorlds,
    properties: readonly Property[],
    reads: Reads | undefined,
  ) {
    const { protocol } = compiled.worlds;
    checkCosts(protocol, properties);
    if (properties !== protocol.properties) checkProperties(protocol, properties, compiled.worlds.topology);
    const view = new CompiledView(compiled);
    this.#view = view;
    this.#watched = reads && new WatchedView(view, reads);
    this.#vacuity = new Vacuity(compiled);
    this.rest = this.#restClaim();
    this.own = properties.map((property) => this.#claim(property));
  }

  get all(): readonly Claim[] {
    return [...this.own, this.rules, ...(this.rest ? [this.rest] : [])];
  }

  /** Worlds at rest are never left out: what is asked of them need not be noted. */
  #restClaim(): Claim | undefined {
    const { protocol } = this.compiled.worlds;
    const { name, kind } = { name: noDeadlock, kind: 'always' } as const;
    if (protocol.waiting === false) return undefined;
    const waits = waitingOf(protocol);
    if (!waits) return { name, kind, holds: () => true, isVacuous: () => true };
    const { waiting } = protocol;
    if (!waiting) return { name, kind, holds: (vector) => this.#view.at(vector).count('waiting') === 0 };
    const isWaiting = (node: NodeView) => !node.crashed && answerOf({ name }, waiting, node);
    return { name, kind, holds: (vector) => !this.#view.at(vector).nodes.some(isWaiting) };
  }

  #claim(property: Property): Claim {
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
        const at = (holds: (node: NodeView) => boolean) => (vector: Int32Array, node: number) => {
          const seen = this.#view.at(vector).nodeAt(node);
          return !seen.crashed && answerOf(property, holds, seen);
        };
        const { length: nodes } = this.compiled.places;
        return { ...common, holds: () => true, overtaking: { most, waits: at(waits), inside: at(inside), nodes } };
      }
      case 'leadsTo': {
        const cases = this.compiled.worlds.topology.nodes.map((_, node) => {
          const nodeAt = (vector: Int32Array) => this.#view.at(vector).nodeAt(node);
          const paid = (vector: Int32Array) => nodeAt(vector).crashed || answerOf(property, property.then, nodeAt(vector));
          return { paid, owes: (vector: Int32Array) => !paid(vector) && answerOf(property, property.holds, nodeAt(vector)) };
        });
        return { ...common, holds: () => true, cases };
      }
      default:
        return { ...common, holds: (vector) => answerOf(property, property.holds, this.#look(vector)) };
    }
  }

  #look(vector: Int32Array): SystemView {
    const view = this.#view.at(vector);
    return this.#watched ?? view;
  }
}
