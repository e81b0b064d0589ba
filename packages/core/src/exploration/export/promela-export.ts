import type { Protocol } from '../../protocol/protocol.js';
import type { Verdict } from '../../protocol/verdict.js';
import type { Topology } from '../../topology/topology.js';
import { exploredSystem } from './explored-system.js';
import { type PromelaModel, promelaModel } from './promela-model.js';
import type { ExportOptions } from './refusals.js';

/** One system as a model for another tool, with what the explorer has found. */
export interface ExportedModel extends Omit<PromelaModel, 'claims'> {
  readonly states: number;
  readonly transitions: number;
  readonly assumptions: readonly string[];
  readonly properties: readonly {
    readonly name: string;
    readonly kind: string;
    readonly verdict: Verdict;
    /** How the model checks it; absent: not. */
    readonly claim?: PromelaModel['claims'][number];
  }[];
}

/**
 * A system as a complete model in Promela, for SPIN: from the tables of its machines, with channels,
 * faults and commands written anew.
 *
 * @throws {ConclaveError} as `explore`; `bad-input` for what such a model cannot say, and for a
 * system that is too large.
 */
export function exportPromela(
  protocol: Protocol,
  topology: Topology,
  options: ExportOptions = {},
): ExportedModel {
  const { tables, found } = exploredSystem('exportPromela', protocol, topology, options);
  const { claims, ...model } = promelaModel(tables, found);
  const { states, transitions, assumptions } = found;
  return {
    ...{ ...model, states, transitions, assumptions },
    properties: found.properties.map(({ name, kind, verdict }) => {
      const claim = claims.find(({ property }) => property === name);
      return { name, kind, verdict, ...(claim && { claim }) };
    }),
  };
}
