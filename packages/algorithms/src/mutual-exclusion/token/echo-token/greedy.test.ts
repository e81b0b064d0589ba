import { chain } from '@conclave/core/topology';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import { echoToken } from './protocol.js';

greedyContract({
  make: echoToken,
  topology: chain,
  states: [
    ['2 nodes, 2 entries each', 2, { commands: 2 }, 554],
    ['3 nodes, two of which enter twice', 3, { commands: 2, initiators: ['a', 'b'] }, 8_544],
  ],
  kept: 7,
});
