/** SPIN finds the states, transitions and verdicts of the explorer, also of random systems. */

import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { complete, ring } from '@conclave/core/topology';
import { isWhole, proof } from '@conclave/tools/sample';
import { describeWithSpin, spinOn } from '@conclave/tools/spin';
import fc from 'fast-check';
import { expect } from 'vitest';
import { cards } from '../../../core/src/protocol/examples.contract.js';
import { randomListener } from '../../../core/src/protocol/random-protocol.contract.js';
import { probes, systems } from '../fixtures/systems.contract.js';
import type { ExportOptions } from './explored-system.js';
import { exportPromela } from './promela-model.js';

function compare(protocol: Protocol, topology: Topology, options: ExportOptions): void {
  const model = exportPromela(protocol, topology, options);
  const { counts, errors } = spinOn(model);
  expect(counts).toEqual({ states: model.stored, transitions: model.counted, errors: 0 });
  const said = model.properties.filter(({ name }) => errors.has(name));
  expect(said.map(({ name }) => [name, errors.get(name)])).toEqual(
    said.map(({ name, verdict }) => [name, /^(violated|reached)$/.test(verdict)]),
  );
}

/** Nodes that send at their start crash between steps only. */
const sayable = systems
  .filter(([, , , { time, partitions }]) => !time && partitions === undefined)
  .map(([name, protocol, topology, options]) => ({
    ...{ name, protocol, topology },
    options: { ...options, ...(protocol === cards && { atomicSteps: true }) },
  }));

describeWithSpin('exportPromela', () => {
  proof.each(sayable)('$name', ({ protocol, topology, options }) => {
    compare(protocol, topology, options);
  });

  proof('random systems', () => {
    let compared = 0;
    const few = fc.constantFrom(0, 0, 1);
    fc.assert(
      fc.property(
        randomListener,
        fc.constantFrom(complete(2), ring(3)),
        fc.record({
          ...{ losses: few, duplications: few, crashes: few, restarts: few },
          order: fc.constantFrom('fifo' as const, 'any' as const),
        }),
        (protocol, topology, faults) => {
          const options = { ...faults, properties: probes, limits: { states: 1_500 } };
          try {
            compare(protocol, topology, options);
            compared++;
          } catch (error) {
            if (!/no complete model|send at their start/.test(String(error))) throw error;
          }
        },
      ),
      { numRuns: 30, seed: 29 },
    );
    if (isWhole) expect(compared).toBeGreaterThan(9);
  });
});
