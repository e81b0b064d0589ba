/**
 * One row of scripts/verify.mjs in a process of its own: the number of the row, of threads, and the MB of memory that it may take. It sends what it
 * found to its parent: `{ states, depth }` while it searches, then `{ found }`.
 */
import { explore } from '@conclave/core/exploration';
import { systems } from './verified-systems.mjs';

const [row, threads, memory] = process.argv.slice(2).map(Number);
const { runs } = systems[row];
const found = { states: 0, transitions: 0, depth: 0, incomplete: [], verdicts: {}, workers: 1 };

const onProgress = (states, _transitions, depth) => process.send({ states: found.states + states, depth });

const start = performance.now();
for (const [protocol, topology, budget] of runs()) {
  const workers = budget.reduce ? 1 : threads; // reduced searches have one thread
  const options = { ...budget, ...(workers > 1 ? { workers } : {}), limits: { memory }, onProgress };
  const { states, transitions, depth, limit, properties } = explore(protocol, topology, options);
  found.states += states;
  found.transitions += transitions;
  found.depth = Math.max(found.depth, depth);
  found.workers = Math.max(found.workers, workers);
  if (limit) found.incomplete.push(`${topology.spec} (${limit})`);
  for (const { name, verdict } of properties) found.verdicts[name] = [...new Set([...(found.verdicts[name] ?? []), verdict])];
}
const seconds = (performance.now() - start) / 1000;
process.send({ found: { ...found, seconds, peak: process.resourceUsage().maxRSS / 1024 } }, () => process.disconnect());
