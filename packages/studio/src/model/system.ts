import { loadProtocol } from '@conclave/algorithms/load';
import { fittingTime, Worlds } from '@conclave/check/internal';
import type { Json, Protocol } from '@conclave/core/protocol';
import { type Topology, topology } from '@conclave/core/topology';
import { badInput } from '../base/bad-input.js';
import { counted } from '../base/numbers.js';
import type { Setup } from '../link/link.js';
import { writtenName, writtenProtocol } from '../playground/user-module.js';
import { say } from '../texts/say.js';
import { shortened } from './looks.js';
import { ownProtocol } from './own.js';

/** A protocol on a network with a budget. */
export interface System {
  /** With its topology filled in. */
  readonly setup: Setup & { readonly topology: string };
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly worlds: Worlds;
}

/**
 * The system of a setup.
 *
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
export async function systemOf(setup: Setup): Promise<System> {
  const protocol = await protocolOf(setup.protocol, setup.options);
  const spec = setup.topology ?? protocol.topology.example(3).spec;
  const network = topology(spec);
  requireSmall(network);
  requireFewCrashes(network, setup.budget);
  const time = fittingTime(protocol, network, setup.budget);
  const worlds = new Worlds(protocol, network, { ...setup.budget, time });
  return { setup: { ...setup, topology: spec }, protocol, topology: network, worlds };
}

/** More would take a page seconds for each step. */
const most = { nodes: 200, links: 10_000 };

/** @throws {ConclaveError} `bad-input` for a network that is too large to be drawn. */
function requireSmall({ spec, nodes, links }: Topology): void {
  if (nodes.length <= most.nodes && links.length <= most.links) return;
  throw badInput(
    say(
      'The network {spec} has {nodes} and {links}; the studio shows up to {mostNodes} and {mostLinks}',
      {
        spec: shortened(spec, 60),
        nodes: counted(nodes.length, 'node'),
        links: counted(links.length, 'link'),
        mostNodes: counted(most.nodes, 'node'),
        mostLinks: counted(most.links, 'link'),
      },
    ),
    say('Take a smaller one, or simulate it by the command line.'),
  );
}

/**
 * A step that sends to more nodes has too many crashes in its middle: any part of what it sends is
 * lost.
 */
const mostToCrash = 8;

/**
 * What a budget with crashes needs on this network: they fall only between steps where a node has
 * many neighbours.
 */
export const crashesOn = (network: Topology): Pick<Setup['budget'], 'atomicSteps'> =>
  network.nodes.some((id) => network.successors(id).length > mostToCrash)
    ? { atomicSteps: true }
    : {};

/**
 * @throws {ConclaveError} `bad-input` where a page could not offer all crashes in the middle of a
 * step.
 */
function requireFewCrashes(network: Topology, { crashes = 0, atomicSteps }: Setup['budget']): void {
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
  if (name === writtenName) return writtenProtocol();
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
