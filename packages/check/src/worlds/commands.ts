/**
 * The commands that the application of a node may give: what the budget leaves of the optional
 * ones, and the obligatory ones whose condition holds. They are a part of each world, so they are
 * numbers and names only.
 */
import {
  answerOf,
  examplesOf,
  nodesAccepting,
  optionalCommands,
  viewOfNode,
} from '@conclave/core/internal';
import type { Command, LocalState, NodeId, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { Budget } from './budget.js';
import { sameData } from './canonical.js';
import type { LocalNode } from './local-node.js';

/**
 * How often each command comes where the budget does not say so: once; events of a bare machine,
 * with the machines that it invokes, any number of times.
 */
export function usualCommands({
  drawn = {},
  channels: { sameProcess = () => false },
}: Pick<Protocol, 'drawn' | 'channels'>): 1 | 'unlimited' {
  const [parent, ...others] = Object.keys(drawn);
  const isOneMachine = parent !== undefined && others.every((id) => sameProcess(parent, id));
  return isOneMachine ? 'unlimited' : 1;
}

/** The commands that one node may still get. */
export interface Application {
  /**
   * How many optional commands are left: of each type, or of each command that the budget lists.
   */
  readonly commands: readonly number[];
  /**
   * The obligatory commands that were given while their condition was true and has been since;
   * sorted.
   */
  readonly fulfilled: readonly string[];
}

/**
 * The commands of a system: optional ones, which the budget counts, and obligatory ones, each given
 * once whenever its condition becomes true. Which of its examples a command takes, the environment
 * chooses each time.
 */
export class Commands {
  /** By command: the nodes whose role accepts it. */
  readonly #accepting: ReadonlyMap<string, ReadonlySet<NodeId>>;

  readonly optional: readonly Command[];
  readonly obligatory: readonly Command[];
  /**
   * By position in `optional`: the position of its count. All examples of a type have one; each
   * command of `inputs` has its own.
   */
  readonly counts: readonly number[];

  /** Whether optional commands come any number of times. */
  readonly isUnlimited: boolean;

  /** `inputs`: the optional commands; by default those of the protocol. */
  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    { inputs, commands }: Pick<Budget, 'inputs' | 'commands'>,
  ) {
    this.isUnlimited = (commands ?? usualCommands(protocol)) === 'unlimited';
    this.optional = inputs ?? optionalCommands(protocol);
    this.obligatory = Object.entries(protocol.commands).flatMap(([type, { kind }]) =>
      kind === 'obligatory' ? examplesOf(protocol, type) : [],
    );
    const types = [...new Set(this.optional.map(({ type }) => type))];
    this.counts = this.optional.map(({ type }, index) => (inputs ? index : types.indexOf(type)));
    const all = [...this.optional, ...this.obligatory];
    this.#accepting = new Map(
      all.map(({ type }) => [type, new Set(nodesAccepting(protocol, topology, type))]),
    );
  }

  /** The counts of a node that may get each command so many `times`. */
  initially(times: number): readonly number[] {
    return [...new Set(this.counts)].map(() => times);
  }

  /** The optional commands whose count is not 0. */
  #remaining(commands: readonly number[]): readonly Command[] {
    return this.optional.filter((_, index) => (commands[this.counts[index] as number] ?? 0) > 0);
  }

  /** The commands that `node` may get in `state`. */
  possible(
    node: LocalNode,
    state: LocalState,
    { commands, fulfilled }: Application,
  ): readonly Command[] {
    return [
      ...this.#remaining(commands),
      ...this.obligatory.filter(({ type }) => !fulfilled.includes(type)),
    ].filter((command) =>
      this.#conditionOf(command)
        ? this.#isDue(node.id, state, command)
        : node.takes(state, command),
    );
  }

  /**
   * What the node `id` may still get after a step, by `command` or not, has led it into `state`.
   */
  after(
    id: NodeId,
    state: LocalState,
    { commands, fulfilled }: Application,
    command?: Command,
  ): Application {
    const isObligatory =
      command !== undefined && this.obligatory.some(({ type }) => type === command.type);
    const isSpent = command !== undefined && !isObligatory && !this.isUnlimited;
    const spent = isSpent ? this.#countOf(command) : -1;
    const given = isObligatory ? [...fulfilled, command.type].sort() : fulfilled;
    return {
      commands:
        spent < 0
          ? commands
          : commands.map((count, index) => (index === spent ? count - 1 : count)),
      fulfilled: given.filter((type) => this.#isDue(id, state, { type })),
    };
  }

  #countOf(command: Command): number {
    return this.counts[this.optional.findIndex((known) => sameData(known, command))] ?? -1;
  }

  #conditionOf({ type }: Command) {
    return this.protocol.commands[type]?.when;
  }

  #isDue(id: NodeId, state: LocalState, command: Command): boolean {
    const isDue = this.#conditionOf(command);
    if (!isDue || !this.#accepting.get(command.type)?.has(id)) return false;
    const role = this.protocol.roleOf(id, this.topology);
    const view = viewOfNode(this.protocol, id, role, state, state.recorded);
    return answerOf({ name: `when of '${command.type}'` }, isDue, view);
  }
}
