/**
 * Simulates the protocol of ping-pong.ts. Prints the run, a line per step, and the verdicts of its
 * properties.
 */
import { oneShot, simulate } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { traceText } from '@conclave/core/trace';
import { pingPong } from './ping-pong.js';

const { trace, properties } = simulate({
  protocol: pingPong,
  topology: ring(['ping', 'pong']),
  conditions: { delay: { kind: 'uniform', least: 100, most: 300 } },
  workload: oneShot({ type: 'serve' }),
  seed: 1,
  record: true,
});
if (trace) console.log(traceText(trace));
for (const { kind, name, verdict } of properties) console.log(`${kind} ${name}: ${verdict}`);
