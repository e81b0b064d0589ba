import { defaultSystems } from '@conclave/check/internal';
import { complete } from '@conclave/core/topology';
import { type Mutants, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { allGraphs, smallGraphs, withAnyInitiators } from '../../checks/networks.js';
import { extinction } from './protocol.js';

export const mutants: Mutants = {
  'terminating=true': {
    // Two explorers cross in a triangle.
    systems: (protocol) => [
      ...defaultSystems(protocol),
      { topology: complete(3), budget: { initiators: ['a', 'b'] } },
    ],
  },
};

const terminating = extinction({ terminating: true });
const dense = allGraphs(4).filter(({ links }) => links.length >= 10);

export const verified: Verified = () =>
  systemsOf('B12 Extinction by flooding', [
    runs(
      'the 31 sparse labelled graphs of 4 nodes',
      'any set of initiators, any order',
      withAnyInitiators(extinction(), smallGraphs(4, 4)),
    ),
    runs(
      'the 6 labelled graphs of 4 nodes with 5 edges',
      'any set of initiators, any order',
      withAnyInitiators(extinction(), dense.slice(0, 6)),
    ),
    runs(
      'the 31 sparse labelled graphs of 4 nodes',
      'terminating, any set of initiators, any order',
      withAnyInitiators(terminating, smallGraphs(4, 4)),
    ),
    runs(
      'the 7 dense labelled graphs of 4 nodes',
      'terminating, any set of initiators, FIFO',
      withAnyInitiators(terminating, dense, { order: 'fifo' }),
    ),
  ]);
