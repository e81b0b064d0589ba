import { checkOptions } from '../../options/check.js';
import { budgetOptions } from '../../options/exploration.js';
import { badInput } from '../../protocol/error.js';
import type { Command } from '../../protocol/node.js';
import { frozenData } from '../../protocol/plain-data.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import type { Budget } from './budget.js';
import { sameData } from './canonical.js';
import { timeOf } from './time.js';

/** Larger networks have too many splits. */
const mostToSplit = 12;

/** @throws {ConclaveError} `bad-input` for an invalid budget. */
export function checkBudget(protocol: Protocol, topology: Topology, budget: Budget): void {
  checkOptions('Budget', budgetOptions, budget);
  const { initiators = [], inputs = [], partitions = 0 } = budget;
  for (const id of initiators) if (!topology.has(id)) throw badInput(`Budget: the initiator '${id}' is no node of '${topology.spec}'`);
  if (partitions > 0 && topology.nodes.length > mostToSplit)
    throw badInput(
      `Budget: '${topology.spec}' has up to ${2 ** (topology.nodes.length - 1) - 1} splits`,
      `Explore partitions on at most ${mostToSplit} nodes.`,
    );
  checkTime(protocol, budget);
  checkInputs(protocol, inputs);
}

function checkTime(protocol: Protocol, budget: Budget): void {
  const { delay } = budget;
  const time = timeOf(protocol, budget);
  if (time !== 'untimed' && time !== 'bounded')
    throw badInput(`Budget: '${String(time)}' is no model of time`, "Let the protocol assume 'untimed' or 'bounded'.");
  if (delay !== undefined && time === 'untimed')
    throw badInput(`Budget: a delay of ${delay} ms means nothing in untimed runs`, "Give time: 'bounded' with it.");
}

function checkInputs({ commands }: Protocol, inputs: readonly Command[]): void {
  for (const [index, command] of inputs.entries()) {
    const refuse = (what: string) => badInput(`Budget: the command '${command.type}' ${what}`);
    const shape = Object.hasOwn(commands, command.type) ? commands[command.type] : undefined;
    if (!shape) throw refuse(`is none of ${Object.keys(commands).join(', ')}`);
    if (shape.kind === 'obligatory') throw refuse('is obligatory, and needs no budget');
    frozenData(command, command.type, (path) => refuse(`carries '${path}', which is not plain data`));
    if (inputs.findIndex((other) => sameData(other, command)) < index) throw refuse('is listed twice');
  }
}
