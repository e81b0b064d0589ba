import { badInput } from '../../base/error.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import { exploredSystem } from './explored-system.js';
import type { ExportOptions } from './refusals.js';
import { tlaModel } from './tla-model.js';

/**
 * A system as a complete module of TLA+ with the name `module`, for TLC: the tables of its machines
 * as constants, and one next-state relation over nodes and channels.
 *
 * @throws {ConclaveError} as `explore`; `bad-input` for what such a module cannot say, and for a
 * system that is too large.
 */
export function exportTla(
  protocol: Protocol,
  topology: Topology,
  { module, ...options }: ExportOptions & { readonly module: string },
): {
  readonly text: string;
  readonly states: number;
  readonly transitions: number;
  readonly assumptions: readonly string[];
} {
  if (!/^[A-Za-z]\w*$/.test(module))
    throw badInput(
      `'${module}' is no name of a module`,
      'TLC reads a module from a file of its name: letters, digits and _, such as lock.tla.',
    );
  const { tables, found } = exploredSystem('exportTla', protocol, topology, options);
  const { states, transitions, assumptions } = found;
  return { text: tlaModel(tables, found, module), states, transitions, assumptions };
}
