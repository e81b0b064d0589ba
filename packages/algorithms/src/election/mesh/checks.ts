import { isOfRuns } from '@conclave/core/internal';
import { grid } from '@conclave/core/topology';
import {
  large,
  type Mutants,
  type Run,
  runs,
  systemsOf,
  type Verified,
  violating,
} from '../../checks/checks.js';
import { grids, onEach, withAnyInitiators } from '../../checks/networks.js';
import { mesh } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    // The smallest grid with border nodes is 2 × 3.
    systems: () => [
      ...['a', 'a d'].map((ids) => ({
        topology: grid(2, 2),
        budget: { initiators: ids.split(' ') },
      })),
      { topology: grid(2, 3), budget: { initiators: ['b'] } },
    ],
    states: 60_000,
  },
};

export const verified: Verified = () =>
  systemsOf('B7 Election in a mesh', [
    runs(
      "2 × 2 in any order, four choices of the corners' directions",
      'any set of nodes starts, FIFO',
      withAnyInitiators(mesh, grids(2, 2, [0, 3, 6, 9])),
    ),
    runs(
      '2 × 3 in any order',
      'any one node starts, FIFO',
      grids(2, 3).flatMap((grid) =>
        grid.nodes.map((id): Run => [mesh, grid, { initiators: [id] }]),
      ),
    ),
    violating(
      runs(
        '2 × 3',
        'a border node starts, FIFO, one message duplicated',
        onEach(mesh, grids(2, 3).slice(0, 1), { initiators: ['m0'], duplications: 1 }),
      ),
      // A border node that has held both copies passes on both at once.
      'a candidate goes along the border to one neighbour, not back',
    ),
    runs('2 × 3', 'all nodes start, FIFO', onEach(mesh, grids(2, 3).slice(0, 1))),
    large(
      runs(
        '3 × 3',
        'the interior node starts, FIFO, properties of states',
        onEach(mesh, grids(3, 3).slice(0, 1), {
          initiators: ['m2'],
          properties: mesh.properties.filter((property) => !isOfRuns(property)),
        }),
      ),
    ),
  ]);
