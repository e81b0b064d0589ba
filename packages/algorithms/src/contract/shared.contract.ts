/**
 * The part of the contract that every problem has: determinism, replay, and conformance of embedded
 * nodes.
 */
import { type ExploreOptions, model, testModel } from '@conclave/check';
import type { Protocol } from '@conclave/core/protocol';
import { simulate, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { parseTrace, replay, traceText } from '@conclave/core/trace';
import { proof, sampled } from '@conclave/tools/sample';
import { TestModel as XStateTestModel } from '@xstate/test';
import { expect, it } from 'vitest';
import { TestModel as GraphTestModel } from 'xstate/graph';
import { conditionsFor } from './sweep.contract.js';

export interface SmallSystem {
  readonly topology: Topology;
  readonly budget: ExploreOptions;
}

export function sharedContract(
  protocol: Protocol,
  topologies: readonly Topology[],
  workload: () => Workload,
  small: readonly SmallSystem[],
): void {
  const record = (topology: Topology, conditions: object, seed: number) => {
    const { trace } = simulate({
      protocol,
      topology,
      conditions,
      workload: workload(),
      seed,
      record: true,
    });
    if (!trace) throw new Error('record: true brings a trace');
    return trace;
  };

  it('the same seed gives the same bytes, and another seed another run', () => {
    for (const topology of sampled(topologies, 2)) {
      const conditions = conditionsFor(protocol).at(-1) ?? {};
      const text = traceText(record(topology, conditions, 7));
      expect(traceText(record(topology, conditions, 7))).toBe(text);
      expect(traceText(record(topology, conditions, 8))).not.toBe(text);
    }
  });

  it('every trace parses to the same trace, and replays on new nodes', () => {
    let steps = 0;
    const all = topologies.flatMap((topology) =>
      conditionsFor(protocol).map((conditions) => ({ topology, conditions })),
    );
    const chosen = sampled(all, 4);
    for (const { topology, conditions } of chosen) {
      const trace = record(topology, conditions, 3);
      const read = parseTrace(traceText(trace));
      expect(traceText(read)).toBe(traceText(trace));
      expect(replay(protocol, topology, read)).toEqual({ steps: trace.lines.length });
      steps += trace.lines.length;
    }
    expect(steps).toBeGreaterThan(chosen.length);
  });

  const draws = Object.values(protocol.roles).some(({ machine }) =>
    machine.events.includes('chosen'),
  );
  for (const [name, TestModel] of [
    ['@xstate/test', XStateTestModel],
    ['xstate/graph', GraphTestModel],
  ] as const)
    proof(
      `embedded nodes take every path that ${name} finds through the small systems`,
      async () => {
        for (const { topology, budget } of small) {
          const { paths, steps, comparisons } = await testModel(
            TestModel,
            model(protocol, topology, budget),
          );
          expect(paths).toBeGreaterThan(0);
          // A step that asks for a choice is compared after the answer, which is a step too.
          expect(comparisons).toBeGreaterThanOrEqual(draws ? steps / 2 : steps);
        }
      },
    );
}
