import { checkCosts } from '../../protocol/cost.js';
import type { Property, SystemView } from '../../protocol/property.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import { CompiledView } from '../compiled/compiled-view.js';
import { type Asked, AskedView } from '../reductions/asked.js';
import { type Reads, WatchedView } from '../reductions/reads.js';
import { tallyOf } from './cost.js';
import { numbersOf } from './increase.js';
import type { Claim } from './judge.js';

const handled = 'every message is handled or explicitly ignored';
const noDeadlock = 'nobody waits when nothing can happen any more';

/** What every protocol is checked for besides its own properties: messages that no state handles, and deadlock. */
export const standardProperties: readonly string[] = [handled, noDeadlock];

/** The properties of a protocol as claims about vectors. */
export class Claims {
  /** Those of the protocol, or those that were asked for. */
  readonly own: readonly Claim[];
  readonly rules: Claim = { name: handled, kind: 'always', holds: () => true };
  readonly rest: Claim;
  readonly #view: CompiledView;
  /** What properties see of the worlds that `#view` is at. */
  readonly #seen: SystemView;

  /** `reads` takes note of what the properties look at; `asked`, of what a renaming may change in it. */
  constructor(
    private readonly compiled: CompiledWorlds,
    properties: readonly Property[],
    reads: Reads | undefined,
    asked?: Asked,
  ) {
    checkCosts(compiled.worlds.protocol, properties);
    const view = new CompiledView(compiled);
    this.#view = view;
    const watched = reads ? new WatchedView(view, reads) : view;
    this.#seen = asked ? new AskedView(watched, asked) : watched;
    // Worlds at rest are never left out: what is asked of them need not be noted.
    const quiet = asked ? new AskedView(view, asked) : view;
    this.rest = {
      name: noDeadlock,
      kind: 'always',
      holds: (vector) => {
        view.at(vector);
        return quiet.count('waiting') === 0;
      },
    };
    this.own = properties.map((property) => this.#claim(property));
  }

  get all(): readonly Claim[] {
    return [...this.own, this.rules, this.rest];
  }

  #claim(property: Property): Claim {
    const { name, kind } = property;
    if (property.kind === 'atMost') return { name, kind, holds: () => true, tally: tallyOf(this.compiled, property) };
    if (property.kind === 'increases') return { name, kind, holds: () => true, numbers: numbersOf(this.compiled, property) };
    if (property.kind !== 'leadsTo') return { name, kind, holds: (vector) => property.holds(this.#look(vector)) };
    const cases = this.compiled.worlds.topology.nodes.map((_, node) => {
      const nodeAt = (vector: Int32Array) => this.#view.at(vector).nodeAt(node);
      const paid = (vector: Int32Array) => nodeAt(vector).crashed || property.then(nodeAt(vector));
      return { paid, owes: (vector: Int32Array) => !paid(vector) && property.holds(nodeAt(vector)) };
    });
    return { name, kind, holds: () => true, cases };
  }

  #look(vector: Int32Array): SystemView {
    this.#view.at(vector);
    return this.#seen;
  }
}
