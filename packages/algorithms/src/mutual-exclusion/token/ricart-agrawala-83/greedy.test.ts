import { complete } from '@conclave/core/topology';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import { ricartAgrawala83 } from './protocol.js';

greedyContract({
  make: ricartAgrawala83,
  topology: complete,
  states: [
    ['2 nodes, 2 entries each', 2, { commands: 2 }, 103],
    ['3 nodes, 2 entries each', 3, { commands: 2 }, 50_433],
  ],
});
