/** What a budget may say of a protocol and a network, and the places where it lets nodes crash. */

import {
  abridged,
  checkOptions,
  faults,
  frozenData,
  requireReports,
  schemas,
  stateNodes,
  wantedInstead,
} from '@conclave/core/internal';
import type { Command, NodeView, Protocol, TimeModel } from '@conclave/core/protocol';
import type { Link, Topology } from '@conclave/core/topology';
import { badInput } from '../base/bad-input.js';
import { listed } from '../base/listed.js';
import { budgetOptions } from '../options/options.js';
import type { Budget } from './budget.js';
import { sameData } from './canonical.js';
import { timeOf } from './time.js';

/** Larger networks have too many splits. */
const mostToSplit = 12;

/** @throws {ConclaveError} `bad-input` for an invalid budget. */
export function checkBudget(protocol: Protocol, topology: Topology, budget: Budget): void {
  checkOptions('Budget', budgetOptions, budget);
  const { initiators = [], inputs = [], partitions = 0 } = budget;
  requireReports(
    protocol,
    Object.fromEntries(faults.networkFaults.map((name) => [name, (budget[name] ?? 0) > 0])),
  );
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
  checkProcesses(protocol, topology, budget);
  checkCrashPlaces(protocol, budget);
  checkTime(protocol, topology, timeOf(protocol, budget));
  checkInputs(protocol, inputs);
  if (budget.inputs === undefined && budget.commands !== 0) requireExamples(protocol);
}

/** The links between nodes of one process. */
export const linksInProcess = (
  { channels: { sameProcess } }: Protocol,
  { links }: Topology,
): readonly Link[] => (sameProcess ? links.filter(({ from, to }) => sameProcess(from, to)) : []);

/** The nodes of one process go down together, and no split of the network parts them. */
function checkProcesses(protocol: Protocol, topology: Topology, budget: Budget): void {
  const [link] = linksInProcess(protocol, topology);
  const { crashes = 0, partitions = 0 } = budget;
  if (link && crashes + partitions > 0)
    throw badInput(
      `${link.from} and ${link.to} are in one process, of which neither crashes nor partitions are explored`,
      'Leave them out of the budget.',
    );
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
  const wanted = wantedInstead(schemas.timeModel, time);
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

const isForbidden = (place: string): boolean => place.startsWith('!');
const nameOf = (place: string): string => place.replace(/^!/, '');

/** Whether a node may crash where it is; undefined where each may. */
export function crashCondition({
  mayCrash,
}: Pick<Budget, 'mayCrash'>): ((node: NodeView) => boolean) | undefined {
  if (mayCrash === undefined || typeof mayCrash === 'function') return mayCrash;
  const [forbidden, allowed] = [
    mayCrash.filter(isForbidden),
    mayCrash.filter((place) => !isForbidden(place)),
  ];
  return (node) => {
    const isAt = (place: string) =>
      node.role === nameOf(place) || [...node.tags].includes(nameOf(place));
    return !forbidden.some(isAt) && (allowed.length === 0 || allowed.some(isAt));
  };
}

/** All tags of a protocol. */
const tagsOf = ({ roles }: Protocol): readonly string[] => [
  ...new Set(
    Object.values(roles).flatMap(({ machine }) => stateNodes(machine).flatMap(({ tags }) => tags)),
  ),
];

/** @throws {ConclaveError} `bad-input` for a place that is neither a tag nor a role. */
function checkCrashPlaces(protocol: Protocol, { mayCrash }: Pick<Budget, 'mayCrash'>): void {
  if (mayCrash === undefined || typeof mayCrash === 'function') return;
  const [tags, roles] = [tagsOf(protocol), Object.keys(protocol.roles)];
  const unknown = mayCrash.find((place) => ![...tags, ...roles].includes(nameOf(place)));
  if (mayCrash.length === 0 || unknown !== undefined)
    throw badInput(
      unknown === undefined
        ? 'mayCrash is an empty list'
        : `'${nameOf(unknown)}' is no tag and no role of '${protocol.name}'`,
      `There are the tags ${tags.join(', ')} and the roles ${roles.join(', ')}.`,
    );
}

/** Where nodes may crash, to complete the sentence 'It assumes …'. */
export function crashesAssumed({ mayCrash }: Pick<Budget, 'mayCrash'>): readonly string[] {
  if (mayCrash === undefined) return [];
  if (typeof mayCrash === 'function') return ['that nodes crash only where mayCrash lets them'];
  return [`that nodes crash only ${crashPlacesText(mayCrash)}`];
}

/** `where they are critical or waiting, and not coordinator` */
function crashPlacesText(places: readonly string[]): string {
  const quoted = (some: readonly string[]) =>
    listed(
      some.map((place) => `'${nameOf(place)}'`),
      'or',
    );
  const [forbidden, allowed] = [
    places.filter(isForbidden),
    places.filter((place) => !isForbidden(place)),
  ];
  return [
    ...(allowed.length === 0 ? [] : [`where they are ${quoted(allowed)}`]),
    ...(forbidden.length === 0 ? [] : [`where they are not ${quoted(forbidden)}`]),
  ].join(' and ');
}
