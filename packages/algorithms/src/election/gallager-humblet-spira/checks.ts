import { chain, ring, topology } from '@conclave/core/topology';
import { type Mutants, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { allGraphs, onEach, smallGraphs, weighted } from '../../checks/networks.js';
import { gallagerHumbletSpira } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: chain(1), budget: { commands: 2 } },
      { topology: chain(2), budget: { commands: 2 } },
      { topology: topology('edges:a-b:1,a-c:2,b-c:3'), budget: { commands: 1 } },
      // Two fragments of level 1 combine.
      { topology: topology('edges:a-b:1,b-c:3,c-d:2'), budget: { commands: 1 } },
      { topology: topology('edges:a-b:1,a-c:4,b-c:3,b-d:5,c-d:2'), budget: { commands: 1 } },
      // c is the third node of a fragment of level 1: the change of root reaches it by a message.
      { topology: topology('edges:a-b:1,b-c:2,c-d:4,d-e:3'), budget: { initiators: ['a', 'e'] } },
      // b has found its smallest outgoing edge, to c, when e connects; or it waits for the report
      // of e when c connects.
      {
        topology: topology('edges:a-b:1,c-d:2,b-c:3,b-e:4'),
        budget: { initiators: ['a', 'c', 'e'] },
      },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('B16 Gallager–Humblet–Spira', [
    runs(
      'the 6 graphs of 4 nodes in each order of the weights',
      'any node may start, FIFO',
      onEach(gallagerHumbletSpira, weighted(allGraphs(4))),
    ),
    runs(
      'the 3 trees of 5 nodes in each order of the weights',
      'any node may start, FIFO',
      onEach(gallagerHumbletSpira, weighted(smallGraphs(5, 4))),
    ),
    runs(
      'the ring of 5 nodes in each order of the weights',
      'any node may start, FIFO',
      onEach(gallagerHumbletSpira, weighted([ring(5, { oneWay: false })])),
    ),
  ]);
