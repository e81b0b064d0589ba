/** What becomes of a small system, and of each of its nodes, in every interleaving with one crash. */
import { type Exploration, type ExploreOptions, explore } from '@conclave/core/exploration';
import { leadsTo, type Property, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

export interface CrashFindings {
  readonly states: number;
  readonly complete: boolean;
  /** By property; a `leadsTo` of each node by itself, such as `b: every node that wants to enter eventually enters`. */
  readonly verdicts: Readonly<Record<string, Exploration['properties'][number]['verdict']>>;
  /** By property: how many steps its shortest run has, where there is one. */
  readonly steps: Readonly<Record<string, number>>;
}

/** Explores `protocol` with one crash, of whom and when `mayCrash` allows. Worlds at rest in which somebody waits are `leadsTo`'s affair. */
export function exploreCrashes(
  protocol: Protocol,
  topology: Topology,
  budget: ExploreOptions & Required<Pick<ExploreOptions, 'mayCrash'>>,
): CrashFindings {
  const properties = protocol.properties.flatMap((property): readonly Property[] =>
    property.kind !== 'leadsTo'
      ? [property]
      : topology.nodes.map((id) => {
          const { name, holds, then } = property;
          return leadsTo(
            `${id}: ${name}`,
            (node) => node.id === id && holds(node),
            (node) => then(node),
            { vacuous: 'a coordinator, or a node that crashes first, never waits' },
          );
        }),
  );
  const found = explore(protocol, topology, { ...budget, crashes: 1, properties });
  const asked = found.properties.slice(0, properties.length);
  return {
    states: found.states,
    complete: found.complete,
    verdicts: Object.fromEntries(asked.map(({ name, verdict }) => [name, verdict])),
    steps: Object.fromEntries(asked.flatMap(({ name, trace }) => (trace ? [[name, trace.lines.length]] : []))),
  };
}
