import type { Ending, Looked } from '../checking/deepening.js';
import { findingReport, openReport, type Report } from './check-report.js';
import type { Deepening } from './deepening-summary.js';

/** What `check --json` prints where it chose the sizes itself: each system that it looked at, and what they say together. */
export function deepeningReport(deepening: Deepening): Report {
  const { protocol, systems, ending, exhausted, spent, workers, properties, coverage } = deepening;
  return {
    protocol: protocol.name,
    systems: systems.map(systemReport),
    ...(exhausted ? { exhausted: { topology: exhausted.topology.spec, entries: exhausted.entries } } : {}),
    ended: endings[ending],
    seconds: spent,
    workers,
    ...openReport(deepening),
    properties: properties.map(findingReport),
    coverage,
  };
}

const endings: Readonly<Record<Ending, string>> = {
  violated: 'a property is violated',
  covered: 'the coverage is full, and two larger systems added nothing',
  time: 'the time is over',
  sizes: 'there is no larger system',
  cut: 'the last system was cut',
};

function systemReport({ topology, entries, exploration }: Looked): Report {
  const { states, transitions, depth, seconds, complete, limit, omissionProbability, assumptions, properties } = exploration;
  return {
    ...{ topology: topology.spec, entries, states, transitions, depth, seconds, complete },
    ...(limit === undefined ? {} : { limit }),
    ...(omissionProbability === undefined ? {} : { omissionProbability }),
    assumptions,
    properties: properties.map(({ name, verdict }) => ({ name, verdict })),
  };
}
