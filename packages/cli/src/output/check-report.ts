import type { Exploration, PlainExploration, PropertyFinding, Walks } from '@conclave/core/exploration';
import type { Json, Property, Verdict } from '@conclave/core/protocol';
import { traceText } from '@conclave/core/trace';

/** The verdicts that refute a protocol. An unreached `sometimes` is one: in a complete check nothing can reach it. */
export const refuted: readonly Verdict[] = ['violated', 'unreached'];

export type Report = Readonly<Record<string, unknown>>;

/** What was not judged, for the reader of a report as for that of a summary. */
interface Open {
  /** Why some verdict is not known, or all; undefined when all are. */
  readonly incomplete: string | undefined;
  /** The properties that were not asked for. */
  readonly leftOut: readonly Property<never, never>[];
}

/** What `check --json` prints of a search; `limit`, `omissionProbability`, `seed`, `incomplete` and `leftOut` only where there are any. */
export function checkReport(exploration: Exploration, workers: number, open: Open): Report {
  const {
    protocol,
    topology,
    states,
    transitions,
    depth,
    width,
    seconds,
    complete,
    limit,
    omissionProbability,
    seed,
    assumptions,
    diagnosis,
    coverage = [],
  } = exploration;
  return {
    ...{ protocol, topology, states, transitions, depth, width, seconds, workers, complete },
    ...(limit === undefined ? {} : { limit }),
    ...(omissionProbability === undefined ? {} : { omissionProbability }),
    ...(seed === undefined ? {} : { seed }),
    assumptions,
    ...openReport(open),
    properties: exploration.properties.map(findingReport),
    coverage,
    diagnosis,
  };
}

/** What it prints of random walks; `again` is the command that takes the same ones. */
export function walkReport(walks: Walks, again: string, open: Open): Report {
  return { ...walks, complete: false, ...openReport(open), properties: walks.properties.map(findingReport), again };
}

/** What it prints of a system of plain functions, whose runs are lists of actions and states. */
export function systemReport(name: string, exploration: PlainExploration<Json, Json>, open: Open): Report {
  const { properties, ...found } = exploration;
  return { system: name, ...found, ...openReport(open), properties };
}

export const openReport = ({ incomplete, leftOut }: Open): Report => ({
  ...(incomplete === undefined ? {} : { incomplete }),
  ...(leftOut.length === 0 ? {} : { leftOut: leftOut.map(({ name }) => name) }),
});

export const findingReport = ({ trace, ...finding }: PropertyFinding): Report => ({
  ...finding,
  ...(trace ? { trace: traceText(trace) } : {}),
});
