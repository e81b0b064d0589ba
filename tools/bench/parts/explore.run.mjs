/**
 * One measurement of tools/bench/parts.mjs in a process of its own: prints
 * `{ states, transitions, seconds, peak }`, peak in MB, as JSON. The seconds are those of the whole
 * call: tables, search, verdicts, traces.
 */
import { explore, model } from '@conclave/check';
import { getAdjacencyMap } from 'xstate/graph';
import { reference } from '../explore/reference.mjs';

const tool = process.argv[2];
const [nodes, commands] = process.argv.slice(3).map(Number);
const [protocol, topology, budget] = reference(nodes, commands);

const tools = {
  conclave: () => {
    const start = performance.now();
    const { states, transitions, complete, properties } = explore(protocol, topology, budget);
    const seconds = (performance.now() - start) / 1000;
    if (!complete || properties.some(({ verdict }) => verdict !== 'holds'))
      throw new Error('the reference model does not hold');
    return { states, transitions, seconds };
  },
  // The first part of getShortestPaths, which takes most of its time.
  'xstate/graph': () => {
    const { logic, options } = model(protocol, topology, budget);
    const start = performance.now();
    const map = getAdjacencyMap(logic, { ...options, limit: Infinity });
    const seconds = (performance.now() - start) / 1000;
    let [states, transitions] = [0, 0];
    for (const key in map) {
      states++;
      for (const _ in map[key].transitions) transitions++;
    }
    return { states, transitions, seconds };
  },
};
const { states, transitions, seconds } = tools[tool]();
console.log(
  JSON.stringify({ states, transitions, seconds, peak: process.resourceUsage().maxRSS / 1024 }),
);
