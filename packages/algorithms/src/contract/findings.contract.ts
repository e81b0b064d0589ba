/** What tests read from results: the properties that fail, one by its name, those of a crash. */
import { type Exploration, type ExploreOptions, explore } from '@conclave/check';
import { optionalCommands } from '@conclave/core/internal';
import { type Command, leadsTo, type Property, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** The names of the properties that do not hold, or are not reached. */
export const failing = ({
  properties,
}: {
  readonly properties: readonly { readonly name: string; readonly verdict: string }[];
}): readonly string[] =>
  properties.flatMap(({ name, verdict }) =>
    verdict === 'holds' || verdict === 'reached' ? [] : [name],
  );

export const propertyNamed = <P extends { readonly name: string }>(
  all: readonly P[],
  name: string,
): P => {
  const found = all.find((p) => p.name === name);
  if (!found) throw new Error(`no property '${name}': ${all.map((p) => p.name).join(', ')}`);
  return found;
};

interface CrashFindings {
  readonly states: number;
  readonly complete: boolean;
  /**
   * By property; a `leadsTo` of each node by itself, such as
   * `b: every node that wants to enter eventually enters`.
   */
  readonly verdicts: Readonly<Record<string, Exploration['properties'][number]['verdict']>>;
  /** By property: the length of its shortest trace, where there is one. */
  readonly steps: Readonly<Record<string, number>>;
}

/**
 * Explores `protocol` with one crash, of the nodes and at the times that `mayCrash` allows.
 * `leadsTo` covers quiescent worlds in which a node waits.
 */
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
  const names = new Set(properties.map(({ name }) => name));
  const own = found.properties.filter(({ name }) => names.has(name));
  return {
    states: found.states,
    complete: found.complete,
    verdicts: Object.fromEntries(own.map(({ name, verdict }) => [name, verdict])),
    steps: Object.fromEntries(
      own.flatMap(({ name, trace }) => (trace ? [[name, trace.lines.length]] : [])),
    ),
  };
}

/** Of each optional command its first example, for systems that are too large with all of them. */
export function oneExample(protocol: Protocol): readonly Command[] {
  const all = optionalCommands(protocol);
  return all.filter(({ type }, index) => all.findIndex((one) => one.type === type) === index);
}

/** Explores a protocol on several graphs. */
export function exploreAll(
  protocol: Protocol,
  graphs: readonly Topology[],
  options: ExploreOptions,
) {
  const found = graphs.map((graph) => explore(protocol, graph, options));
  return {
    complete: found.every(({ complete }) => complete),
    states: found.reduce((sum, { states }) => sum + states, 0),
    /** The networks on which some property is violated. */
    broken: found
      .filter(({ properties }) => properties.some(({ verdict }) => verdict === 'violated'))
      .map(({ topology }) => topology),
  };
}
