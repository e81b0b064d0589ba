import type { StateValue } from 'xstate';
import {
  type CompiledMachine,
  compile,
  type PlainState,
  type PlainStep,
} from '../protocol/compiled/compile.js';
import { NodeHistory } from '../protocol/history.js';
import type { Json, NodeId } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import { type Protocol, type Role, roleOf } from '../protocol/protocol.js';
import { inputAgain } from '../protocol/stable.js';
import { start } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import { differs } from './confirmation.js';
import type { Loads } from './network.js';

/** A role and its compiled machine. */
interface ColumnRole extends Role {
  readonly name: string;
  readonly compiled: CompiledMachine;
}

const noTags: ReadonlySet<string> = new Set();

/**
 * The nodes of a network as columns: one array for each of the things that an actor would hold. A
 * node is its place in the topology.
 */
export class ColumnStates {
  readonly #ids: readonly NodeId[];
  readonly places: ReadonlyMap<NodeId, number>;
  readonly #roles: ColumnRole[] = [];
  readonly #roleOf: Uint16Array;
  readonly #states: PlainState[] = [];
  readonly #crashed: Uint8Array;
  readonly #sent: Float64Array;
  readonly #received: Float64Array;
  readonly #histories: readonly NodeHistory[] | undefined;
  readonly #recorded: Json[] = [];
  /** By place; each made on first use. */
  #views: (ColumnNode | undefined)[] | undefined;
  /** The first effects of the nodes that have some, until they start. */
  readonly #first = new Map<number, PlainStep>();

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
  ) {
    const { nodes } = topology;
    this.#ids = nodes;
    this.places = new Map(nodes.map((id, node) => [id, node]));
    this.#roleOf = new Uint16Array(nodes.length);
    this.#crashed = new Uint8Array(nodes.length);
    this.#sent = new Float64Array(nodes.length);
    this.#received = new Float64Array(nodes.length);
    const histories: NodeHistory[] = [];
    const byName = new Map<string, number>();
    for (const [node, id] of nodes.entries()) {
      const name = protocol.roleOf(id, topology);
      const role = byName.get(name) ?? this.#addRole(id);
      byName.set(name, role);
      this.#roleOf[node] = role;
      const first = this.#firstStep(node, this.#input(node));
      this.#states.push(first.state);
      if (first.effects.length > 0) this.#first.set(node, first);
      const history = NodeHistory.of(protocol, topology, id);
      if (!history) continue;
      histories.push(history);
      this.#recorded.push(history.initial());
    }
    this.#histories = protocol.history && histories;
  }

  get size(): number {
    return this.#ids.length;
  }

  idOf(node: number): NodeId {
    return this.#ids[node] as NodeId; // places are those of the topology, here and below
  }

  roleOf(node: number): ColumnRole {
    return this.#roles[this.#roleOf[node] as number] as ColumnRole;
  }

  at(node: number): PlainState {
    return this.#states[node] as PlainState;
  }

  set(node: number, state: PlainState): void {
    this.#states[node] = state;
  }

  isCrashed(node: number): boolean {
    return this.#crashed[node] === 1;
  }

  tagsOf(node: number): ReadonlySet<string> {
    return this.isCrashed(node) ? noTags : this.at(node).configuration.tagSet;
  }

  crash(node: number): void {
    this.#crashed[node] = 1;
  }

  /** The step with which a node starts. */
  begin(node: number): PlainStep {
    const step = this.#first.get(node) ?? { state: this.at(node), effects: [] };
    this.#first.delete(node);
    return step;
  }

  /**
   * The input of a node at its start; `again`: at a restart, with the stable fields of its last
   * context.
   */
  inputOf(node: number, again: boolean): Json {
    return again
      ? inputAgain(this.#input(node), this.at(node).context, this.roleOf(node).stable ?? [])
      : this.#input(node);
  }

  /** The step with which a node starts again after a crash. */
  beginAgain(node: number, input: Json): PlainStep {
    this.#crashed[node] = 0;
    return this.#firstStep(node, input);
  }

  countSent(node: number): void {
    this.#sent[node] = (this.#sent[node] as number) + 1;
  }

  countReceived(node: number): void {
    this.#received[node] = (this.#received[node] as number) + 1;
  }

  get loads(): Loads {
    return { sent: this.#sent, received: this.#received };
  }

  historian(node: number): NodeHistory | undefined {
    return this.#histories?.[node];
  }

  historyOf(node: number): Json | undefined {
    return this.#recorded[node];
  }

  record(node: number, history: Json): void {
    this.#recorded[node] = history;
  }

  get views(): readonly ColumnNode[] {
    return Array.from(this.#ids, (_, node) => this.view(node));
  }

  view(node: number): ColumnNode {
    this.#views ??= new Array<undefined>(this.size);
    const view = this.#views[node] ?? new ColumnNode(this, node);
    this.#views[node] = view;
    return view;
  }

  #input(node: number): Json {
    return this.roleOf(node).input(this.idOf(node), this.topology);
  }

  #addRole(id: NodeId): number {
    const role = roleOf(this.protocol, id, this.topology);
    return this.#roles.push({ ...role, compiled: compile(role.machine) }) - 1;
  }

  #firstStep(node: number, input: Json): PlainStep {
    const { machine, compiled } = this.roleOf(node);
    const id = this.idOf(node);
    try {
      return compiled.start(input);
    } catch (error) {
      start(machine, id, input); // throws the error as XState has it
      throw differs(id, 'its start', error);
    }
  }
}

/** The columns, by place of the node. */
interface Columns {
  idOf(node: number): NodeId;
  roleOf(node: number): { readonly name: string };
  at(node: number): PlainState;
  tagsOf(node: number): ReadonlySet<string>;
  isCrashed(node: number): boolean;
  historyOf(node: number): Json | undefined;
}

/** A node of the columns as properties and workloads see it: it shows the node as it is now. */
class ColumnNode implements NodeView {
  constructor(
    private readonly states: Columns,
    private readonly place: number,
  ) {}

  get id(): NodeId {
    return this.states.idOf(this.place);
  }

  get role(): string {
    return this.states.roleOf(this.place).name;
  }

  get value(): StateValue {
    return this.states.at(this.place).configuration.value;
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.states.at(this.place).context;
  }

  get tags(): ReadonlySet<string> {
    return this.states.tagsOf(this.place);
  }

  get crashed(): boolean {
    return this.states.isCrashed(this.place);
  }

  get history(): Json | undefined {
    return this.states.historyOf(this.place);
  }
}
