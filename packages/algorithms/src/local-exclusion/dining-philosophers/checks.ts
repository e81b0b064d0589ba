import { topology } from '@conclave/core/topology';
import { run, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { allGraphs, onEach } from '../../checks/networks.js';
import { diningPhilosophers } from './protocol.js';

export const verified: Verified = () =>
  systemsOf('A16 Dining philosophers', [
    runs(
      'all 38 labelled graphs of 4 nodes',
      'an entry each, any order',
      onEach(diningPhilosophers, allGraphs(4)),
    ),
    run(
      'ring of 4',
      '2 entries each, any order',
      diningPhilosophers,
      topology('edges:a-b,b-c,c-d,a-d'),
      { commands: 2 },
    ),
    run(
      'ring of 6',
      'an entry each, any order',
      diningPhilosophers,
      topology('edges:a-b,b-c,c-d,d-e,e-f,a-f'),
    ),
  ]);
