import { answerOf } from '../../protocol/answer.js';
import { viewOfNode } from '../../protocol/check-properties.js';
import type { Command, NodeId } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { LocalState } from '../../protocol/step.js';
import { takersOf } from '../../protocol/takers.js';
import type { Topology } from '../../topology/topology.js';
import { sameData } from './canonical.js';
import type { LocalNode } from './local-node.js';

/** What the application may still do to one node. */
export interface Application {
  /** By position in the list of wishes: how many are left. */
  readonly wishes: readonly number[];
  /** The duties that it has fulfilled and that are still due by their condition; in their order. */
  readonly fulfilled: readonly string[];
}

/** The commands of a system: the wishes that a budget counts, and the duties, each of which is given once each time that it comes to be due. */
export class Commands {
  /** By command: the nodes whose role knows it. */
  readonly #takers: ReadonlyMap<string, ReadonlySet<NodeId>>;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    readonly wishes: readonly Command[],
    readonly duties: readonly Command[],
  ) {
    this.#takers = new Map([...wishes, ...duties].map(({ type }) => [type, new Set(takersOf(protocol, topology, type))]));
  }

  /** Those that may come to `node` in `state`. */
  possible(node: LocalNode, state: LocalState, { wishes, fulfilled }: Application): readonly Command[] {
    const left = this.wishes.filter((_, index) => (wishes[index] ?? 0) > 0);
    return [...left, ...this.duties.filter(({ type }) => !fulfilled.includes(type))].filter((command) =>
      this.#conditionOf(command) ? this.#isDue(node.id, state, command) : node.takes(state, command),
    );
  }

  /** What is left to do once a step, by `command` or not, has led `id` into `state`. */
  after(id: NodeId, state: LocalState, { wishes, fulfilled }: Application, command?: Command): Application {
    const isDuty = command !== undefined && this.duties.some(({ type }) => type === command.type);
    const spent = command === undefined || isDuty ? -1 : this.wishes.findIndex((wish) => sameData(wish, command));
    const given = isDuty ? [...fulfilled, command.type].sort() : fulfilled;
    return {
      wishes: spent < 0 ? wishes : wishes.map((count, index) => (index === spent ? count - 1 : count)),
      fulfilled: given.filter((type) => this.#isDue(id, state, { type })),
    };
  }

  #conditionOf({ type }: Command) {
    return this.protocol.commands[type]?.when;
  }

  #isDue(id: NodeId, state: LocalState, command: Command): boolean {
    const isDue = this.#conditionOf(command);
    if (!isDue || !this.#takers.get(command.type)?.has(id)) return false;
    const view = viewOfNode(this.protocol, id, this.protocol.roleOf(id, this.topology), state);
    return answerOf({ name: `when of '${command.type}'` }, isDue, view);
  }
}
