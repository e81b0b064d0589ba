/**
 * Searches that two parts of a contract need, made once: one for the properties, one for the
 * coverage of the same system.
 */
import { type Exploration, explore } from '@conclave/core/exploration';
import { optionalCommands } from '@conclave/core/internal/protocol';
import type { Command, Protocol } from '@conclave/core/protocol';
import type { SmallSystem } from './shared.contract.js';

/** By protocol and system: the systems whose coverage a test asks for, with what was found. */
const covered = new WeakMap<Protocol, Map<string, Exploration | undefined>>();

/** Undefined for a budget with functions, which have no name to find them by. */
function keyOf({ topology, budget }: SmallSystem): string | undefined {
  let isPlain = true;
  const key = JSON.stringify(
    [topology.spec, topology.nodes, topology.links, budget],
    (_, value: unknown) => {
      isPlain &&= typeof value !== 'function';
      return value === Infinity ? 'Infinity' : value;
    },
  );
  return isPlain ? key : undefined;
}

/** Called while tests are collected, so that the first search of this system covers, too. */
export function planCoverage(protocol: Protocol, system: SmallSystem): void {
  const key = keyOf(system);
  if (key === undefined) return;
  const systems = covered.get(protocol) ?? new Map<string, Exploration | undefined>();
  covered.set(protocol, systems.set(key, undefined));
}

/**
 * Explores the system, with coverage if `coverage` is true; one whose coverage is planned is
 * explored once, with coverage.
 */
export function searched(protocol: Protocol, system: SmallSystem, coverage = false): Exploration {
  const { topology, budget } = system;
  const systems = covered.get(protocol);
  const key = keyOf(system);
  if (key === undefined || !systems?.has(key))
    return explore(protocol, topology, { ...budget, coverage });
  const found = systems.get(key) ?? explore(protocol, topology, { ...budget, coverage: true });
  systems.set(key, found);
  return found;
}

/** Of each optional command its first example, for systems that are too large with all of them. */
export function oneExample(protocol: Protocol): readonly Command[] {
  const all = optionalCommands(protocol);
  return all.filter(({ type }, index) => all.findIndex((one) => one.type === type) === index);
}
