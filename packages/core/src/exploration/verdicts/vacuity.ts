import { answerOf, numberFrom } from '../../protocol/answer.js';
import { ConclaveError } from '../../protocol/error.js';
import type { NodeView, Property } from '../../protocol/property.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import { CompiledView } from '../compiled/compiled-view.js';
import { Reads, WatchedView } from '../reductions/reads.js';
import type { Visited } from '../search/visited.js';
import { nodeViewOf } from '../worlds/view.js';

/** Whether a property had nothing to look at in these worlds, all that were found. */
export type IsVacuous = (store: Visited) => boolean;

/** At most so many worlds are looked at for what a property reads. Usually the first one is enough. */
const mostWorlds = 10_000;

/** In so many worlds a property that holds is evaluated a second time. */
const mostTwice = 2_000;

const unsteady = (name: string): ConclaveError =>
  new ConclaveError(
    'impure',
    `Property '${name}' does not return the same each time for the same state`,
    'Let it depend only on its argument, not on variables outside.',
  );

/** Distinguishes properties that hold vacuously. */
export class Vacuity {
  constructor(private readonly compiled: CompiledWorlds) {}

  /** The test for one property, valid after a complete search without a violation. */
  of(property: Property): IsVacuous {
    switch (property.kind) {
      case 'leadsTo':
        return () => !this.#some((node) => answerOf(property, property.holds, node));
      case 'increases':
        return () => !this.#some((node) => numberFrom(property, node) !== undefined);
      case 'overtaken':
        return () =>
          !this.#some((node) => answerOf(property, property.waits, node)) ||
          !this.#some((node) => answerOf(property, property.inside, node));
      case 'everyStep':
        return () => this.compiled.distinctSteps().next().done === true;
      case 'atMost':
        return () => !this.#isGiven(property.per) && !this.#isSent(property.of);
      case 'sometimes':
        return () => false;
      default:
        return (store) => this.#readsNothingThatVaries(property, store);
    }
  }

  #isGiven(command: string): boolean {
    for (const { action } of this.compiled.distinctSteps()) if (action.type === 'command' && action.command.type === command) return true;
    return false;
  }

  #isSent(types: readonly string[] | undefined): boolean {
    const { crashNotice } = this.compiled.worlds.protocol; // the network sends it, not the protocol
    return this.compiled.parcels.messages.items.some(({ type }) => (types ? types.includes(type) : type !== crashNotice));
  }

  /** Whether `holds` is true of some live node in some world. */
  #some(holds: (node: NodeView) => boolean): boolean {
    const { protocol, topology } = this.compiled.worlds;
    return this.compiled.configurations.some(({ items }, index) => {
      const id = topology.nodes[index] ?? '';
      return items.some(({ state, crashed }) => !crashed && holds(nodeViewOf(protocol, topology, id, state, false)));
    });
  }

  #readsNothingThatVaries(
    property: Property & { readonly kind: 'always' | 'never' | 'eventually' | 'alwaysEventually' },
    store: Visited,
  ): boolean {
    const reads = new Reads();
    const view = new CompiledView(this.compiled);
    const nodes = new WeakMap<NodeView, NodeView>();
    const expected = { always: true, never: false, eventually: undefined, alwaysEventually: undefined }[property.kind];
    let varies = false;
    const vector = new Int32Array(this.compiled.width);
    let size = -1;
    for (let world = 0, looked = 0; world < store.bound && looked < (varies ? mostTwice : mostWorlds); world++) {
      if (!store.has(world) || store.canRead?.(world) === false) continue;
      looked++;
      store.read(world, vector);
      view.at(vector);
      const answer = answerOf(property, property.holds, new WatchedView(view.once(), reads, nodes));
      if (expected !== undefined && answer !== expected) throw unsteady(property.name);
      if (varies || reads.size === size) continue;
      size = reads.size;
      varies = this.#varies(reads);
    }
    return !varies;
  }

  #varies(reads: Reads): boolean {
    if (reads.inFlight && this.compiled.parcels.messages.items.some(({ type }) => reads.types.has(undefined) || reads.types.has(type)))
      return true;
    const { protocol, topology } = this.compiled.worlds;
    return this.compiled.configurations.some(({ items: [first, ...others] }, index) => {
      const id = topology.nodes[index] ?? '';
      const view = ({ state, crashed }: NonNullable<typeof first>) => nodeViewOf(protocol, topology, id, state, crashed);
      if (!first) return false;
      const one = view(first);
      return others.some((other) => reads.tellsApart(one, view(other)));
    });
  }
}
