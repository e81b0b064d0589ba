import { chain, complete, type Topology } from '@conclave/core/topology';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import type { Options } from './acyclic-graph.js';
import { acyclicGraph } from './protocol.js';

const given = (more: Options, topology: (n: number) => Topology, two: number, three: number) =>
  greedyContract({
    make: (options) => acyclicGraph({ ...options, ...more, startUp: 'given' }),
    topology,
    states: [
      ['2 nodes, 2 entries each', 2, { commands: 2 }, two],
      ['3 nodes, 2 entries each', 3, { commands: 2 }, three],
    ],
  });

given({}, chain, 81, 1_240);
given({ reversal: 'acknowledged' }, complete, 81, 5_943);
given({ reversal: 'numbered' }, complete, 101, 16_563);
