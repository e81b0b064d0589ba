import { hypercube, topology } from '@conclave/core/topology';
import { type Mutants, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { cubeOf, cubes, onEach } from '../../checks/networks.js';
import { hypercubeElection } from './protocol.js';

/** The orders of ids in which matches are carried furthest. */
const square = 'edges:a,b,d,c,a>b@0,a>d@1,b>a@0,b>c@1,d>c@0,d>a@1,c>d@0,c>b@1';
const cube =
  'edges:a,b,d,c,h,e,f,g,a>b@0,a>d@1,a>h@2,b>a@0,b>c@1,b>e@2,d>c@0,d>a@1,d>f@2,c>d@0,c>b@1,c>g@2,h>e@0,h>f@1,h>a@2,e>h@0,e>g@1,e>b@2,f>g@0,f>h@1,f>d@2,g>f@0,g>e@1,g>c@2';

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: hypercube(1), budget: {} },
      { topology: topology(square), budget: {} },
      { topology: topology(cube), budget: { initiators: ['a'] } },
    ],
    // A duellist carries matches of others in four dimensions at least.
    walks: () => [
      { topology: cubeOf([...'malbcdenzfghijko']), budget: {}, walks: 1200, steps: 200 },
    ],
  },
};

const eachOf = (period: number) => cubes(3).filter((_, index) => index % period === 0);

export const verified: Verified = () =>
  systemsOf('B8 Election in a hypercube', [
    runs(
      '3 dimensions in 504 orders',
      'one node starts, any order',
      onEach(hypercubeElection, eachOf(10), { initiators: ['a'] }),
    ),
    runs(
      '3 dimensions in 6 orders',
      'all nodes start, any order',
      onEach(hypercubeElection, eachOf(840)),
    ),
  ]);
