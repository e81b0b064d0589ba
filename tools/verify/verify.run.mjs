/**
 * One row in a process of its own: the id of its algorithm, its place there, and the MB of memory
 * that it may take. It sends what it found to its parent: `{ states, depth }` while it
 * searches, then `{ found }`.
 */
import { explore } from '@conclave/check';
import { systemsOf } from './systems.mjs';

const [id, place, memory] = process.argv.slice(2);
const { runs } = (await systemsOf(id || undefined))[Number(place)];
const found = { states: 0, transitions: 0, depth: 0, incomplete: [], verdicts: {} };

const onProgress = (states, _transitions, depth) =>
  process.send({ states: found.states + states, depth });

const start = performance.now();
for (const [protocol, topology, budget] of runs) {
  const options = { ...budget, limits: { memory: Number(memory) }, onProgress };
  const { states, transitions, depth, limit, properties } = explore(protocol, topology, options);
  found.states += states;
  found.transitions += transitions;
  found.depth = Math.max(found.depth, depth);
  if (limit) found.incomplete.push(`${topology.spec} (${limit})`);
  for (const { name, verdict } of properties)
    found.verdicts[name] = [...new Set([...(found.verdicts[name] ?? []), verdict])];
}
const seconds = (performance.now() - start) / 1000;
process.send({ found: { ...found, seconds, peak: process.resourceUsage().maxRSS / 1024 } }, () =>
  process.disconnect(),
);
