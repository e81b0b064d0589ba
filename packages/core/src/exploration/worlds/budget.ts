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
  readonly wishes?: number;
  /** Which nodes may wish. Default all. */
  readonly initiators?: readonly NodeId[];
  /** The wishes themselves. Default: each `wish` of the protocol that carries nothing, and the first example of those that do. */
  readonly commands?: readonly Command[];
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
  const { wishes = 1, initiators = [], commands = [], losses = 0, duplications = 0, crashes = 0, restarts = 0, partitions = 0 } = budget;
  for (const [name, count] of Object.entries({ wishes, losses, duplications, crashes, restarts, partitions }))
    if (!Number.isInteger(count) || count < 0)
      throw new ConclaveError('bad-input', `Budget: ${name} ${count} is no count`, 'Give a whole number, 0 or more.');
  for (const id of initiators)
    if (!topology.has(id)) throw new ConclaveError('bad-input', `Budget: the initiator '${id}' is no node of '${topology.spec}'`);
  if (partitions > 0 && topology.nodes.length > mostToSplit)
    throw new ConclaveError(
      'bad-input',
      `Budget: '${topology.spec}' can split in up to ${2 ** (topology.nodes.length - 1) - 1} ways`,
      `Explore partitions on at most ${mostToSplit} nodes.`,
    );
  checkTime(protocol, budget);
  checkWishes(protocol, commands);
}

/** The model of time that is asked for, or that the protocol assumes. */
export const timeOf = ({ channels }: Protocol, { time = channels.time ?? 'untimed' }: Pick<Budget, 'time'>) => time;

function checkTime(protocol: Protocol, budget: Budget): void {
  const { delay } = budget;
  const time = timeOf(protocol, budget);
  if (time !== 'untimed' && time !== 'bounded')
    throw new ConclaveError('bad-input', `Budget: '${String(time)}' is no model of time`, "Give 'untimed' or 'bounded'.");
  if (delay === undefined) return;
  if (!(delay > 0 && delay < Infinity))
    throw new ConclaveError('bad-input', `Budget: a message cannot take up to ${delay} ms`, 'Give a delay above 0.');
  if (time === 'untimed')
    throw new ConclaveError('bad-input', `Budget: a delay of ${delay} ms means nothing in untimed runs`, "Give time: 'bounded' with it.");
}

function checkWishes({ commands }: Protocol, wishes: readonly Command[]): void {
  for (const [index, wish] of wishes.entries()) {
    const refuse = (what: string) => new ConclaveError('bad-input', `Budget: the command '${wish.type}' ${what}`);
    const shape = Object.hasOwn(commands, wish.type) ? commands[wish.type] : undefined;
    if (!shape) throw refuse(`is none of ${Object.keys(commands).join(', ')}`);
    if (shape.kind === 'duty') throw refuse('is a duty, which needs no budget');
    frozenData(wish, wish.type, (path) => refuse(`carries '${path}', which is not plain data`));
    if (wishes.findIndex((other) => sameData(other, wish)) < index) throw refuse('is listed twice');
  }
}
