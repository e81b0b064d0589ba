import {
  answerOf,
  type FunctionOfProperty,
  functionsOf,
  kindOfProperty,
  numberOf,
} from '@conclave/core/internal';
import type { NodeView, Property, PropertyOf, SystemView } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import type { KernelWorlds } from '../../search/kernel/kernel-store.js';
import { CompiledView } from '../../search/tables/compiled-view.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import { nodeViewOf } from '../../worlds/local-node.js';
import { type Scope, unchangingText } from './compiled-property.js';
import { Reads, WatchedView } from './reads.js';

/** In so many worlds a property that holds is evaluated a second time. */
const mostTwice = 2_000;

const enough: Scope = { isVacuous: false };
const nothing: Scope = { isVacuous: true };

const unsteadyError = (name: string): ConclaveError =>
  new ConclaveError(
    'impure',
    `Property '${name}' does not return the same each time for the same state`,
    'Let it depend only on its argument, not on variables outside.',
  );

/**
 * What there was for a property to look at. It is vacuous if nothing in the system can make it true
 * or false: its trigger never occurs, or it reads nothing of the system. If it looks at something
 * that could be otherwise and never is, it holds, with a remark.
 */
export class Vacuity {
  constructor(private readonly compiled: CompiledWorlds) {}

  /** The scope of one property, valid after a complete search without a violation. */
  of(property: Property): (store: KernelWorlds) => Scope {
    let known: Scope | undefined;
    return (store) => {
      known ??= this.#scope(property, store);
      return known;
    };
  }

  #scope(property: Property, store: KernelWorlds): Scope {
    if (property.kind === 'sometimes') return enough;
    if (property.kind === 'atMost') return this.#scopeOfCount(property);
    const [trigger, ...others] = functionsOf(property);
    if (trigger?.sees === 'system') return this.#scopeOfReads(property, trigger.ask, store);
    if (trigger?.sees === 'step')
      return this.compiled.distinctSteps().next().done === true ? nothing : enough;
    const isTrue = (asked: FunctionOfProperty) =>
      this.#some((node) =>
        asked.sees === 'number'
          ? numberOf(property, asked.ask, node) !== undefined
          : asked.sees === 'node' && answerOf(property, asked.ask, node),
      );
    if (!trigger || !isTrue(trigger)) return nothing;
    const { remarks = {} } = kindOfProperty(property);
    const missing = others.find((asked) => asked.name in remarks && !isTrue(asked));
    const remark = missing && remarks[missing.name];
    return remark === undefined ? enough : { ...enough, remark };
  }

  #scopeOfCount({ per, of }: PropertyOf<'atMost'>): Scope {
    if (this.#isSent(of)) return enough;
    return this.#isGiven(per)
      ? { ...enough, remark: 'no message that it counts is sent' }
      : nothing;
  }

  #isGiven(command: string): boolean {
    for (const { action } of this.compiled.distinctSteps())
      if (action.type === 'command' && action.command.type === command) return true;
    return false;
  }

  #isSent(types: readonly string[] | undefined): boolean {
    const { crashNotice } = this.compiled.worlds.protocol; // the network sends it, not the protocol
    return this.compiled.parcels.messages.items.some(({ type }) =>
      types ? types.includes(type) : type !== crashNotice,
    );
  }

  /** Whether `holds` is true of some live node in some world. */
  #some(holds: (node: NodeView) => boolean): boolean {
    const { protocol, topology } = this.compiled.worlds;
    return this.compiled.configurations.some(({ items }, index) => {
      const id = topology.nodes[index] ?? '';
      return items.some(
        ({ state, crashed }) => !crashed && holds(nodeViewOf(protocol, topology, id, state, false)),
      );
    });
  }

  /**
   * A property is a function of what it reads. So if nothing varies that it reads in one world, it
   * reads the same in all of them.
   */
  #scopeOfReads(
    property: Property,
    holds: (system: SystemView) => boolean,
    store: KernelWorlds,
  ): Scope {
    const reads = new Reads();
    const view = new CompiledView(this.compiled);
    const watched = new WeakMap<NodeView, NodeView>();
    const { answer: expected } = kindOfProperty(property);
    const vector = new Int32Array(this.compiled.width);
    const look = () => {
      view.at(vector);
      const answer = answerOf(property, holds, new WatchedView(view.once(), reads, watched));
      if (expected !== undefined && answer !== expected) throw unsteadyError(property.name);
    };
    for (let world = 0; world < Math.min(store.size, mostTwice); world++) {
      store.read(world, vector);
      look();
    }
    if (this.#varies(reads, view)) return enough;
    const still = reads.unchanged(
      this.compiled.configurations.map((_, node) => view.viewOf(node, 0)),
    );
    return still.length === 0 ? nothing : { ...enough, remark: unchangingText(still) };
  }

  #varies(reads: Reads, view: CompiledView): boolean {
    if (
      reads.inFlight &&
      this.compiled.parcels.messages.items.some(
        ({ type }) => reads.types.has(undefined) || reads.types.has(type),
      )
    )
      return true;
    return this.compiled.configurations.some(({ items }, node) =>
      items.some(
        (_, place) =>
          place > 0 && reads.distinguishes(view.viewOf(node, 0), view.viewOf(node, place)),
      ),
    );
  }
}
