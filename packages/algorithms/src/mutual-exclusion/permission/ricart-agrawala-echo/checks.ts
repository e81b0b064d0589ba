import { defaultSystems } from '@conclave/check/internal';
import { chain, complete } from '@conclave/core/topology';
import { large, type Mutants, runs, systemsOf, type Verified } from '../../../checks/checks.js';
import { allGraphs, onEach, smallGraphs } from '../../../checks/networks.js';
import { ricartAgrawalaEcho } from './protocol.js';

/**
 * The systems on which its mutants are explored: a triangle, too, where a wave reaches a node by
 * two paths. All are noticed there.
 */
export const mutants: Mutants = {
  withoutOptions: {
    systems: (protocol) => [
      ...defaultSystems(protocol, { topologies: [chain(2), chain(3)], commands: [1] }),
      { topology: chain(2), budget: { commands: 2 } },
      { topology: complete(3), budget: { initiators: ['a', 'b'] } },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('A3c Ricart–Agrawala by echo waves', [
    runs(
      'the 31 sparse graphs of 4',
      '2 nodes an entry each',
      onEach(ricartAgrawalaEcho, smallGraphs(4, 4), { initiators: ['a', 'c'] }),
    ),
    large(
      runs(
        'all 38 graphs of 4',
        '2 nodes an entry each',
        onEach(ricartAgrawalaEcho, allGraphs(4), { initiators: ['a', 'c'] }),
      ),
    ),
  ]);
