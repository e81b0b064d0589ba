import { answerOf } from '../../protocol/answer.js';
import { viewOfNode } from '../../protocol/check-properties.js';
import type { Command, NodeId } from '../../protocol/node.js';
import { nodesAccepting } from '../../protocol/nodes-accepting.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { LocalState } from '../../protocol/step.js';
import type { Topology } from '../../topology/topology.js';
import { sameData } from './canonical.js';
import type { LocalNode } from './local-node.js';

/** The commands that one node may still get. */
export interface Application {
  /** By position in the list of optional commands: how many are left. */
  readonly commands: readonly number[];
  /** The obligatory commands that were given while their condition was true and has been since; sorted. */
  readonly fulfilled: readonly string[];
}

/** The commands of a system: optional ones, which the budget counts, and obligatory ones, each given once whenever its condition becomes true. */
export class Commands {
  /** By command: the nodes whose role accepts it. */
  readonly #accepting: ReadonlyMap<string, ReadonlySet<NodeId>>;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    readonly optional: readonly Command[],
    readonly obligatory: readonly Command[],
  ) {
    this.#accepting = new Map([...optional, ...obligatory].map(({ type }) => [type, new Set(nodesAccepting(protocol, topology, type))]));
  }

  /** Those that `node` may get in `state`. */
  possible(node: LocalNode, state: LocalState, { commands, fulfilled }: Application): readonly Command[] {
    const left = this.optional.filter((_, index) => (commands[index] ?? 0) > 0);
    return [...left, ...this.obligatory.filter(({ type }) => !fulfilled.includes(type))].filter((command) =>
      this.#conditionOf(command) ? this.#isDue(node.id, state, command) : node.takes(state, command),
    );
  }

  /** What is left after a step, by `command` or not, has led `id` into `state`. */
  after(id: NodeId, state: LocalState, { commands, fulfilled }: Application, command?: Command): Application {
    const isObligatory = command !== undefined && this.obligatory.some(({ type }) => type === command.type);
    const spent = command === undefined || isObligatory ? -1 : this.optional.findIndex((known) => sameData(known, command));
    const given = isObligatory ? [...fulfilled, command.type].sort() : fulfilled;
    return {
      commands: spent < 0 ? commands : commands.map((count, index) => (index === spent ? count - 1 : count)),
      fulfilled: given.filter((type) => this.#isDue(id, state, { type })),
    };
  }

  #conditionOf({ type }: Command) {
    return this.protocol.commands[type]?.when;
  }

  #isDue(id: NodeId, state: LocalState, command: Command): boolean {
    const isDue = this.#conditionOf(command);
    if (!isDue || !this.#accepting.get(command.type)?.has(id)) return false;
    const view = viewOfNode(this.protocol, id, this.protocol.roleOf(id, this.topology), state);
    return answerOf({ name: `when of '${command.type}'` }, isDue, view);
  }
}
