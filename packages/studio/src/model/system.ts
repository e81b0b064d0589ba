/** A system: what a link says before its steps, made; and its budget in words. */
import { loadProtocol } from '@conclave/algorithms/load';
import { fittingTime, Worlds } from '@conclave/check/internal';
import { faults } from '@conclave/core/internal';
import type { Json, Protocol } from '@conclave/core/protocol';
import { type Topology, topology } from '@conclave/core/topology';
import { badInput } from '../base/input.js';
import { counted } from '../base/numbers.js';
import type { Setup } from '../link/link.js';
import { draftName, draftProtocol } from '../playground/user-module.js';
import { say, type Text } from '../texts/say.js';
import { shortened } from './looks.js';
import { ownProtocol } from './own.js';

/** The parts of a budget that a link can hold. */
export type StudioBudget = Setup['budget'];

/** A protocol on a network with a budget. */
export interface System {
  /** With its topology filled in. */
  readonly setup: Setup & { readonly topology: string };
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly worlds: Worlds;
}

/** The system of a setup. @throws {ConclaveError} `bad-input`, `bad-topology`. */
export async function systemOf(setup: Setup): Promise<System> {
  const protocol = await protocolOf(setup.protocol, setup.options);
  const spec = setup.topology ?? protocol.topology.example(3).spec;
  requireSmall(spec, nodesIn(spec)); // to make a million nodes takes seconds
  const network = topology(spec);
  requireSmall(spec, network.nodes.length, network.links.length);
  requireFewCrashes(network, setup.budget);
  const time = fittingTime(protocol, network, setup.budget);
  const worlds = new Worlds(protocol, network, { ...setup.budget, time });
  return { setup: { ...setup, topology: spec }, protocol, topology: network, worlds };
}

/** More would take a page seconds for each step. */
const most = { nodes: 200, links: 10_000 };

/** How many nodes a spec names; 0 for one that does not say it in numbers. */
function nodesIn(spec: string): number {
  const numbers = /(?:^|:)(tree|grid|torus|hypercube|[\w-]+):(\d+)(?:[x:](\d+))?[\d:.]*$/.exec(
    spec,
  );
  const [, kind, first, second] = numbers ?? [];
  const [one, other] = [Number(first ?? 0), Number(second ?? 0)];
  if (kind === 'tree') return other;
  if (kind === 'hypercube') return 2 ** one;
  return kind === 'grid' || kind === 'torus' ? one * other : one;
}

/** @throws {ConclaveError} `bad-input` for a network that is too large to be drawn. */
function requireSmall(spec: string, nodes: number, links = 0): void {
  if (nodes <= most.nodes && links <= most.links) return;
  throw badInput(
    say('The network {spec} is too large: the studio shows up to {mostNodes} and {mostLinks}', {
      spec: shortened(spec, 60),
      mostNodes: counted(most.nodes, 'node'),
      mostLinks: counted(most.links, 'link'),
    }),
    say('Take a smaller one, or simulate it by the command line.'),
  );
}

/** More receivers of one step: each subset of them may be lost by a crash in its middle. */
const mostToCrash = 8;

/** Where a node has many neighbours, crashes fall only between steps. */
export const crashesOn = (network: Topology): Pick<StudioBudget, 'atomicSteps'> =>
  network.nodes.some((id) => network.successors(id).length > mostToCrash)
    ? { atomicSteps: true }
    : {};

/** @throws {ConclaveError} `bad-input` where there are too many crashes inside steps to offer. */
function requireFewCrashes(network: Topology, { crashes = 0, atomicSteps }: StudioBudget): void {
  if (crashes === 0 || atomicSteps || !crashesOn(network).atomicSteps) return;
  throw badInput(
    say(
      'A node of {spec} has more than {mostToCrash} neighbours: there are too many crashes in the middle of its steps',
      { spec: network.spec, mostToCrash },
    ),
    say('Take a smaller network, or crashes only between steps.'),
  );
}

/**
 * A protocol that the page was given, or one of the catalogue.
 * @throws {ConclaveError} `bad-input`.
 */
export async function protocolOf(
  name: string,
  options: Readonly<Record<string, Json>>,
): Promise<Protocol> {
  if (name === draftName) return draftProtocol();
  const own = ownProtocol(name);
  if (!own) return loadProtocol(name, options);
  const [option] = Object.keys(options);
  if (option !== undefined)
    throw badInput(
      say("{name} has no option '{option}'", { name, option }),
      say('A protocol of your own has none.'),
    );
  return own.protocol;
}

/** What the environment of a system may do, in short phrases. */
export function budgetTexts({ protocol, worlds, setup: { budget } }: System): readonly string[] {
  const { initiators, atomicSteps, unsent, mayCrash, unexpected } = budget;
  const { optional, isUnlimited } = worlds.commands;
  const { commands = isUnlimited ? 'unlimited' : 1 } = budget;
  const most = (count = 0, one: Text, many: Text, when = ''): string[] => {
    const what = count === 1 ? say(one) : say(many);
    if (count === 0) return [];
    return [
      count === 1
        ? say('at most one {what}{when}', { what, when })
        : say('at most {count} {what}{when}', { count, what, when }),
    ];
  };
  const times =
    commands === 'unlimited'
      ? say('any number of times')
      : commands === 1
        ? say('once')
        : commands === 2
          ? say('twice')
          : say('{commands} times', { commands });
  const types = [...new Set(optional.map(({ type }) => type))].join(', ');
  const failing = faults.faultNames.flatMap((name) => {
    const row = faults.kinds[name];
    const when =
      name === 'crashes' ? say(atomicSteps ? ' between steps' : ' between or inside steps') : '';
    const [one, many] = 'verb' in row ? row.counted : row.name;
    return most(budget[name], one, many, when);
  });
  return [
    ...(optional.length === 0 || commands === 0
      ? [say('no commands')]
      : [
          say('{types} {times} at {nodes}', {
            types,
            times,
            nodes: initiators?.join(', ') ?? say('each node'),
          }),
        ]),
    say(worlds.order === 'fifo' ? 'channels keep the order' : 'messages may overtake each other'),
    ...(failing.length === 0 ? [say('no faults')] : failing),
    ...(unsent ? [say('a crash may lose what was sent in earlier steps')] : []),
    ...(mayCrash ? [say('crashes only in {mayCrash}', { mayCrash: mayCrash.join(', ') })] : []),
    ...(unexpected === 'discard' ? [say('unexpected messages are discarded')] : []),
    ...timeTexts(protocol, worlds),
  ];
}

function timeTexts({ channels }: Protocol, { clockwork, budget }: Worlds): readonly string[] {
  const { time = channels.time } = budget;
  if (!clockwork || time === undefined || time === 'untimed')
    return channels.time === undefined ? [] : [say('no time: timers fire at any moment')];
  const { delay, drift = 0 } = time;
  const [least, most] = delay;
  const exact = say('exact time, messages take {least}–{most} ms', { least, most });
  return [drift === 0 ? exact : `${exact}, ${say('drift {drift}', { drift })}`];
}

/** A system in one line: `tree:2:3; greedy 2; acquire once at each node; …`. */
export const systemText = (system: System): string =>
  [
    system.topology.spec,
    ...Object.entries(system.setup.options).map(([name, value]) => `${name} ${value}`),
    ...budgetTexts(system),
  ].join('; ');
