import type { Protocol } from '@conclave/core/protocol';
import { type SimulationResult, totalMessages } from '@conclave/core/simulation';
import { traceText } from '@conclave/core/trace';
import { competes } from '../input/workload.js';

/** How often nodes entered, and what an entry cost in messages; nothing for a protocol without a critical section. */
export function entriesOf(protocol: Protocol, result: SimulationResult): { readonly entries?: number; readonly messagesPerEntry?: number } {
  if (!competes(protocol)) return {};
  const entries = result.exclusion.entries.length;
  return { entries, ...(entries > 0 ? { messagesPerEntry: totalMessages(result) / entries } : {}) };
}

/** What `simulate --json` prints; `violated`, `fault` and `trace` only after a violation, `incomplete` where the run is not to be relied on. */
export function report(protocol: Protocol, result: SimulationResult, incomplete: string | undefined): Readonly<Record<string, unknown>> {
  const { violated, fault } = result;
  return {
    protocol: result.protocol,
    topology: result.topology,
    nodes: result.nodes,
    seed: result.seed,
    virtualMs: result.virtualMs,
    delivered: result.delivered,
    messages: result.messages,
    ...entriesOf(protocol, result),
    ...(result.leader === undefined ? {} : { leader: result.leader }),
    properties: result.properties,
    complete: result.complete,
    ...(incomplete === undefined ? {} : { incomplete }),
    ...(violated === undefined ? {} : { violated }),
    ...(fault === undefined ? {} : { fault }),
    ...(violated !== undefined && result.trace ? { trace: traceText(result.trace) } : {}),
  };
}
