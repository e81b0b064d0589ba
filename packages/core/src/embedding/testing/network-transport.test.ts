import { times } from '@conclave/tools/sample';
import { Bus } from './bus.contract.js';
import { transportContract } from './transport-contract.js';

transportContract('NetworkTransport', (nodes, { maxBytes }) => new Bus(nodes, maxBytes), {
  frames: times(500, 100_000),
});
