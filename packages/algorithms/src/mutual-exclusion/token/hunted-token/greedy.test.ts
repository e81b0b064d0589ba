import { ring } from '@conclave/core/topology';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import { huntedToken } from './protocol.js';

greedyContract({
  make: huntedToken,
  topology: ring,
  states: [
    ['2 nodes, 2 entries each', 2, { commands: 2 }, 92],
    ['3 nodes, 2 entries each', 3, { commands: 2 }, 10_225],
  ],
});
