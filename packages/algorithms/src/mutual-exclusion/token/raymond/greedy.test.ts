import { chain } from '@conclave/core/topology';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import { raymond } from './protocol.js';

greedyContract({
  make: raymond,
  topology: chain,
  states: [
    ['2 nodes, 2 entries each', 2, { commands: 2 }, 93],
    ['3 nodes, 2 entries each', 3, { commands: 2 }, 2_023],
  ],
});
