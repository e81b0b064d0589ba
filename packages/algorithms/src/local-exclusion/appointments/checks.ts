import { complete } from '@conclave/core/topology';
import { run, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { allGraphs, onEach } from '../../checks/networks.js';
import { appointments } from './protocol.js';

const withNeighbours = { type: 'acquire', with: 'neighbours' };

export const verified: Verified = () =>
  systemsOf('A17 Appointments', [
    runs(
      'all 38 labelled graphs of 4 nodes',
      'each with all neighbours, an entry each, any order',
      onEach(appointments, allGraphs(4), { inputs: [withNeighbours] }),
    ),
    run('3 nodes', 'each with a, with b and with c in turn, any order', appointments, complete(3), {
      inputs: ['a', 'b', 'c'].map((id) => ({ type: 'acquire', with: [id] })),
    }),
  ]);
