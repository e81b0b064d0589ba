import type { NodeId } from '../../protocol/node.js';
import { nodeStep } from '../../protocol/node-step.js';
import type { NodeStep, NodeView, SystemView } from '../../protocol/property.js';
import type { HostEffect } from '../../protocol/step.js';
import type { Moment } from '../run-judge/moment.js';
import { nodeOf } from '../run-judge/position.js';
import { CompiledView } from '../search/tables/compiled-view.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { ConfigurationTable } from '../search/tables/configuration-table.js';
import { causeOfAction } from '../worlds/cause.js';
import { nodeViewOf } from '../worlds/view.js';
import { withoutSends } from '../worlds/with-effects.js';
import { type Action, isStep, stepOf } from '../worlds/world.js';

/** The moments of a walk, one after the other: read from vectors, and only as far as needed. */
export class TakenMoment implements Moment {
  isFirst = true;
  actor: NodeId | undefined;
  #action: Action | undefined;
  #number = -1;
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  readonly #view: CompiledView;
  #seen: SystemView | undefined;

  constructor(private readonly compiled: CompiledWorlds) {
    this.#before = new Int32Array(compiled.width);
    this.#after = new Int32Array(compiled.width);
    this.#view = new CompiledView(compiled);
  }

  begin(vector: Int32Array): void {
    this.isFirst = true;
    this.actor = undefined;
    this.#action = undefined;
    this.#after.set(vector);
    this.#seen = undefined;
  }

  take(action: number, vector: Int32Array): void {
    this.isFirst = false;
    this.#number = action;
    this.#action = this.compiled.actionOf(action);
    this.actor = nodeOf(this.#action);
    this.#before.set(this.#after);
    this.#after.set(vector);
    this.#seen = undefined;
  }

  get view(): SystemView {
    this.#seen ??= this.#view.at(this.#after).once();
    return this.#seen;
  }

  get command(): string | undefined {
    const step = this.#action && stepOf(this.#action);
    return step?.type === 'command' ? step.command.type : undefined;
  }

  get sent(): readonly string[] {
    if (this.isFirst) return this.view.inFlight().map(({ message }) => message.type);
    return this.#effects.flatMap((effect) => (effect.type === 'send' ? [effect.message.type] : []));
  }

  get step(): NodeStep | undefined {
    const action = this.#action;
    const taken = action && stepOf(action);
    const cause = taken && causeOfAction(taken);
    if (!action || !taken || !cause) return undefined;
    const node = this.#node(action);
    const before = this.#view.viewOf(node, this.#before[node] as number);
    const whole = action === taken ? this.#number : this.compiled.actionNumber(taken);
    const { state, effects } = this.compiled.outcome(node, this.#state(node), whole);
    const after =
      action === taken
        ? this.#view.viewOf(node, this.#after[node] as number)
        : this.#up(node, state);
    return nodeStep(before, after, cause, effects);
  }

  /** What leaves the acting node. */
  get #effects(): readonly HostEffect[] {
    const action = this.#action;
    if (!action || (!isStep(action) && action.type !== 'crash')) return [];
    const node = this.#node(action);
    const state = this.#state(node);
    if (isStep(action) || !action.during)
      return this.compiled.outcome(node, state, this.#number).effects;
    const { during, lost } = action;
    const notices = this.compiled.outcome(
      node,
      state,
      this.compiled.actionNumber({ type: 'crash', node: action.node }),
    ).effects;
    if (during.type === 'start') return notices;
    const { effects } = this.compiled.outcome(node, state, this.compiled.actionNumber(during));
    return [...withoutSends(effects, lost), ...notices];
  }

  /** A node before it crashes in the middle of a step. */
  #up(node: number, state: number): NodeView {
    const { protocol, topology } = this.compiled.worlds;
    const id = topology.nodes[node] as NodeId; // the number of a node
    return nodeViewOf(protocol, topology, id, this.compiled.localState(node, state), false);
  }

  #node(action: Action): number {
    return this.compiled.worlds.topology.nodes.indexOf(nodeOf(action) as NodeId); // of a step
  }

  /** The local state of a node before the step. */
  #state(node: number): number {
    const places = this.compiled.configurations[node] as ConfigurationTable; // of each node
    return places.stateOf(this.#before[node] as number);
  }
}
