import { complete } from '@conclave/core/topology';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import { naimiTrehel } from './protocol.js';

greedyContract({
  make: naimiTrehel,
  topology: complete,
  states: [
    ['2 nodes, 2 entries each', 2, { commands: 2 }, 81],
    ['3 nodes, 2 entries each', 3, { commands: 2 }, 1_900],
  ],
});
