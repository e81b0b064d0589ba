import type { Exploration } from '@conclave/core/exploration';
import type { Verdict } from '@conclave/core/protocol';
import { traceText } from '@conclave/core/trace';

/** The verdicts that refute a protocol. An unreached `sometimes` is one: in a complete check nothing can reach it. */
export const refuted: readonly Verdict[] = ['violated', 'unreached'];

/** What `check --json` prints; `limit` only when incomplete. */
export function checkReport(exploration: Exploration): Readonly<Record<string, unknown>> {
  const { protocol, topology, states, transitions, depth, seconds, complete, limit, diagnosis, coverage = [] } = exploration;
  const properties = exploration.properties.map(({ trace, ...finding }) => ({
    ...finding,
    ...(trace ? { trace: traceText(trace) } : {}),
  }));
  const found = { protocol, topology, states, transitions, depth, seconds, complete, ...(limit ? { limit } : {}) };
  return { ...found, properties, coverage, diagnosis };
}
