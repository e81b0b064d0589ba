import { checkOptions } from '../../options/check.js';
import { budgetOptions } from '../../options/exploration.js';
import { ConclaveError } from '../../protocol/error.js';
import type { Command, NodeId } from '../../protocol/node.js';
import { frozenData } from '../../protocol/plain-data.js';
import type { NodeView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import { sameData } from './canonical.js';
import type { Timing } from './time.js';

/** How much the environment may still do. What is left out may not happen at all. */
export interface Budget {
  /** Wishes per node and command, such as `acquire`. Default 1. Duties, such as `release`, are free. */
  readonly commands?: number;
  /** Which nodes may wish. Default all. */
  readonly initiators?: readonly NodeId[];
  /** The wishes themselves. Default: each `wish` of the protocol that carries nothing, and the first example of those that do. */
  readonly inputs?: readonly Command[];
  /** How many messages may be lost, and how many doubled. */
  readonly losses?: number;
  readonly duplications?: number;
  readonly crashes?: number;
  readonly restarts?: number;
  /**
   * Whether a node may crash where it is now: while it waits, say, or if it is the coordinator. Default: each may, anywhere.
   *
   * @example mayCrash: ({ tags }) => tags.has('critical')
   */
  readonly mayCrash?: (node: NodeView) => boolean;
  /** How many times the network may split in two, any two parts; whether and when it heals is open. */
  readonly partitions?: number;
  /** How channels keep their order. Default: as the protocol assumes. */
  readonly order?: 'fifo' | 'any';
  /** Whether a timer may fire at any moment, or only when messages that take a bounded time allow it; see {@link Timing}. Default: as the protocol assumes. */
  readonly time?: 'untimed' | 'bounded';
  /** With `bounded`: how long a message may take, in milliseconds. Default 100. */
  readonly delay?: number;
}

/** Beyond it there are more ways to split than anybody can explore. */
const mostToSplit = 12;

/** @throws {ConclaveError} `bad-input` for a budget that cannot be. */
export function checkBudget(protocol: Protocol, topology: Topology, budget: Budget): void {
  checkOptions('Budget', budgetOptions, budget);
  const { initiators = [], inputs: commands = [], partitions = 0 } = budget;
  for (const id of initiators)
    if (!topology.has(id)) throw new ConclaveError('bad-input', `Budget: the initiator '${id}' is no node of '${topology.spec}'`);
  if (partitions > 0 && topology.nodes.length > mostToSplit)
    throw new ConclaveError(
      'bad-input',
      `Budget: '${topology.spec}' can split in up to ${2 ** (topology.nodes.length - 1) - 1} ways`,
      `Explore partitions on at most ${mostToSplit} nodes.`,
    );
  checkTime(protocol, budget);
  checkInputs(protocol, commands);
}

/** The model of time that is asked for, or that the protocol assumes. */
export const timeOf = ({ channels }: Protocol, { time = channels.time ?? 'untimed' }: Pick<Budget, 'time'>) => time;

function checkTime(protocol: Protocol, budget: Budget): void {
  const { delay } = budget;
  const time = timeOf(protocol, budget);
  if (time !== 'untimed' && time !== 'bounded')
    throw new ConclaveError(
      'bad-input',
      `Budget: '${String(time)}' is no model of time`,
      "Let the protocol assume 'untimed' or 'bounded'.",
    );
  if (delay !== undefined && time === 'untimed')
    throw new ConclaveError('bad-input', `Budget: a delay of ${delay} ms means nothing in untimed runs`, "Give time: 'bounded' with it.");
}

function checkInputs({ commands }: Protocol, inputs: readonly Command[]): void {
  for (const [index, command] of inputs.entries()) {
    const refuse = (what: string) => new ConclaveError('bad-input', `Budget: the command '${command.type}' ${what}`);
    const shape = Object.hasOwn(commands, command.type) ? commands[command.type] : undefined;
    if (!shape) throw refuse(`is none of ${Object.keys(commands).join(', ')}`);
    if (shape.kind === 'obligatory') throw refuse('is obligatory, and needs no budget');
    frozenData(command, command.type, (path) => refuse(`carries '${path}', which is not plain data`));
    if (inputs.findIndex((other) => sameData(other, command)) < index) throw refuse('is listed twice');
  }
}
