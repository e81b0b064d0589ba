/** Where the mutants of `conclave mutate` are explored. */
import { defaultSystems, type MutateOptions } from '@conclave/core/internal/mutation';
import { optionalCommands } from '@conclave/core/internal/protocol';
import type { MutationSystem } from '@conclave/core/mutation';
import type { Protocol } from '@conclave/core/protocol';
import { badInput } from '../errors.js';
import { hasNoCommand } from './environment.js';
import { defined } from './options.js';
import { networkFor } from './protocol.js';

interface Asked {
  readonly topology?: string;
  readonly entries?: number;
  readonly walks?: number;
  readonly maxDepth?: number;
  readonly seed?: number;
}

/**
 * The systems on which the options explore mutants (undefined: the default ones), and a note for
 * the user.
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
export function systemsFor(
  protocol: Protocol,
  { topology, entries }: Asked,
): { readonly systems?: readonly MutationSystem[]; readonly note?: string } {
  if (entries !== undefined && optionalCommands(protocol).length === 0)
    throw hasNoCommand(protocol, 'entries');
  if (topology === undefined && entries === undefined) return {};
  const commands = [entries ?? 1];
  if (topology === undefined) return { systems: defaultSystems(protocol, { commands }) };
  const { topology: network, ...note } = networkFor(protocol, topology, 3);
  return { systems: defaultSystems(protocol, { topologies: [network], commands }), ...note };
}

/**
 * The walks that the options ask for; undefined: none.
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
export function walksFor(
  protocol: Protocol,
  { topology, entries = 2, walks, maxDepth, seed }: Asked,
): MutateOptions['walks'] {
  if (walks === undefined) {
    if (maxDepth !== undefined || seed !== undefined)
      throw badInput(
        `--${maxDepth === undefined ? 'seed' : 'max-depth'} is for walks`,
        'Add --walks 100.',
      );
    return undefined;
  }
  const { topology: network } = networkFor(protocol, topology, 4);
  const systems = defaultSystems(protocol, { topologies: [network], commands: [entries] });
  const steps = maxDepth ?? 300;
  return systems.map((system) => ({ ...system, walks, steps, ...defined({ seed }) }));
}
