/** One row of scripts/verify.mjs in a process of its own: prints the result as JSON. */
import { freemem } from 'node:os';
import { explore } from '@conclave/core/exploration';
import { systems } from './verified-systems.mjs';

const [row, workers] = process.argv.slice(2).map(Number);
const { runs } = systems[row];
/** The search ends as incomplete before the memory is full. */
const limits = { memory: (freemem() / 2 ** 20) * 0.9 };
const found = { states: 0, transitions: 0, depth: 0, incomplete: [], verdicts: {} };

const progress = (states, _transitions, depth) =>
  process.stderr.write(`\r${(found.states + states).toLocaleString('en')} states, ${depth} steps deep\x1b[K`);

const start = performance.now();
for (const [protocol, topology, budget] of runs()) {
  // Reduced searches have one thread.
  const options = { ...budget, ...(budget.reduce ? {} : { workers }), limits, ...(process.stderr.isTTY ? { onProgress: progress } : {}) };
  const { states, transitions, depth, limit, properties } = explore(protocol, topology, options);
  found.states += states;
  found.transitions += transitions;
  found.depth = Math.max(found.depth, depth);
  if (limit) found.incomplete.push(`${topology.spec} (${limit})`);
  for (const { name, verdict } of properties) found.verdicts[name] = [...new Set([...(found.verdicts[name] ?? []), verdict])];
}
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
const seconds = (performance.now() - start) / 1000;
console.log(JSON.stringify({ ...found, seconds, peak: process.resourceUsage().maxRSS / 1024 }));
