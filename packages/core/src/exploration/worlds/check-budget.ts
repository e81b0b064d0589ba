import { badInput } from '../../base/error.js';
import { budgetOptions } from '../../options/exploration.js';
import { requireReports } from '../../protocol/crash-notice.js';
import type { Command } from '../../protocol/node.js';
import { frozenData } from '../../protocol/plain-data.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { TimeModel } from '../../protocol/time.js';
import { timeModel } from '../../protocol/time-schema.js';
import { checkOptions, wantedInstead } from '../../schema/check.js';
import { abridged, type Topology } from '../../topology/topology.js';
import type { Budget } from './budget.js';
import { sameData } from './canonical.js';
import { checkCrashPlaces, tagsOf } from './crash-places.js';
import { timeOf } from './time.js';

/** Larger networks have too many splits. */
const mostToSplit = 12;

/** @throws {ConclaveError} `bad-input` for an invalid budget. */
export function checkBudget(protocol: Protocol, topology: Topology, budget: Budget): void {
  checkOptions('Budget', budgetOptions, budget);
  const { initiators = [], inputs = [], losses = 0, duplications = 0, partitions = 0 } = budget;
  requireReports(protocol, {
    losses: losses > 0,
    duplications: duplications > 0,
    partitions: partitions > 0,
  });
  for (const id of initiators)
    if (!topology.has(id))
      throw badInput(
        `The initiator '${id}' is no node of '${topology.spec}'`,
        `Its nodes: ${abridged(topology.nodes)}.`,
      );
  if (partitions > 0 && topology.nodes.length > mostToSplit)
    throw badInput(
      `'${topology.spec}' has up to ${2 ** (topology.nodes.length - 1) - 1} splits`,
      `Explore partitions on at most ${mostToSplit} nodes.`,
    );
  checkCrashPlaces(protocol, budget);
  checkTime(protocol, topology, timeOf(protocol, budget));
  checkInputs(protocol, inputs);
  if (budget.inputs === undefined && budget.commands !== 0) requireExamples(protocol);
}

/** Without examples, and without `inputs`, nobody could say what such a command carries. */
function requireExamples({ title, commands }: Protocol): void {
  for (const [type, { kind, fields = [], examples = [] }] of Object.entries(commands))
    if (kind === 'optional' && fields.length > 0 && examples.length === 0)
      throw badInput(
        `The optional command '${type}' of ${title} has fields, but no example of them: it would never come`,
        'Give their values as examples, in the definition; or list the commands as inputs.',
      );
}

function checkTime(protocol: Protocol, topology: Topology, time: TimeModel): void {
  const { messages } = protocol;
  const wanted = wantedInstead(timeModel, time);
  if (wanted) throw badInput(`The protocol's time is ${JSON.stringify(time)}`, `Give ${wanted}.`);
  if (time === 'untimed') return;
  for (const type of Object.keys(time.messages ?? {}))
    if (!Object.hasOwn(messages, type))
      throw badInput(
        `Exact time: '${type}' is no message`,
        `There are ${Object.keys(messages).join(', ')}.`,
      );
  const links = topology.links.map(({ from, to }) => `${from}→${to}`);
  for (const link of Object.keys(time.links ?? {}))
    if (!links.includes(link))
      throw badInput(
        `Exact time: '${link}' is no link of '${topology.spec}'`,
        `There are ${abridged(links)}.`,
      );
  const tags = tagsOf(protocol);
  for (const tag of Object.keys(time.stays ?? {}))
    if (!tags.includes(tag))
      throw badInput(`Exact time: no state has the tag '${tag}'`, `There are ${tags.join(', ')}.`);
}

function checkInputs({ commands }: Protocol, inputs: readonly Command[]): void {
  for (const [index, command] of inputs.entries()) {
    const refuse = (what: string) => badInput(`The command '${command.type}' ${what}`);
    const shape = Object.hasOwn(commands, command.type) ? commands[command.type] : undefined;
    if (!shape) throw refuse(`is none of ${Object.keys(commands).join(', ')}`);
    if (shape.kind === 'obligatory') throw refuse('is obligatory, and needs no budget');
    frozenData(command, command.type, (path) =>
      refuse(`carries '${path}', which is not plain data`),
    );
    if (inputs.findIndex((other) => sameData(other, command)) < index)
      throw refuse('is listed twice');
  }
}
