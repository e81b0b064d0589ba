import { nodesAccepting } from '@conclave/core/internal';
import { complete } from '@conclave/core/topology';
import { catalogue, protocolOf } from '../../../catalogue.js';
import { type Run, run, runs, systemsOf, type Verified } from '../../../checks/checks.js';
import { centralCoordinator } from '../../central/central-coordinator/protocol.js';
import { ricartAgrawala } from '../../permission/ricart-agrawala/protocol.js';
import { raymond } from '../../token/raymond/protocol.js';
import { tokenRing } from '../../token/token-ring/protocol.js';
import { hierarchical } from './protocol.js';

/** The locks that it can be made of, itself aside. */
export const plainLocks = (): readonly string[] =>
  catalogue
    .filter(({ name, make }) => {
      if (name === 'hierarchical') return false;
      try {
        return hierarchical({ within: make() }) !== undefined;
      } catch {
        return false; // it is no lock, or not a plain one
      }
    })
    .map(({ name }) => name);

/** Any plain lock on each level: two members of one cluster and one of another enter. */
function hierarchies(): readonly Run[] {
  const locks = plainLocks();
  return locks.flatMap((within) =>
    locks.map((between): Run => {
      // a representative only serves the others
      const [nodes, clusters] = between === 'central-coordinator' ? [6, 3] : [5, 2];
      const protocol = protocolOf('hierarchical', { within, between, clusters });
      const network = complete(nodes);
      return [
        protocol,
        network,
        { initiators: nodesAccepting(protocol, network, 'acquire').slice(-3) },
      ];
    }),
  );
}

export const verified: Verified = () =>
  systemsOf('A13 Hierarchical', [
    run(
      '4 nodes',
      'token ring in each cluster, Ricart–Agrawala between, 2 entries each, any order',
      hierarchical(),
      complete(4),
      { commands: 2 },
    ),
    run(
      '6 nodes',
      'coordinators within, Raymond between, two turns, an entry each, any order',
      hierarchical({ within: centralCoordinator(), between: raymond(), turns: 2 }),
      complete(6),
    ),
    run(
      '4 nodes',
      'token ring in each cluster, Ricart–Agrawala between, two turns, 2 entries each, any order',
      hierarchical({ within: tokenRing(), between: ricartAgrawala, turns: 2 }),
      complete(4),
      { commands: 2 },
    ),
    run(
      '6 nodes',
      'coordinators within, Raymond between, two turns, 2 entries each, FIFO',
      hierarchical({ within: centralCoordinator(), between: raymond(), turns: 2 }),
      complete(6),
      { commands: 2, order: 'fifo' },
    ),
    run(
      '8 nodes',
      'coordinators within, Raymond between, an entry each, any order',
      hierarchical({ within: centralCoordinator(), between: raymond() }),
      complete(8),
    ),
    run(
      '6 nodes',
      'token ring in each cluster, Ricart–Agrawala between, an entry each, any order',
      hierarchical({ within: tokenRing(), between: ricartAgrawala }),
      complete(6),
    ),
    runs(
      '5 or 6 nodes',
      'each of 15 algorithms within, each between, an entry for three, any order',
      hierarchies(),
    ),
  ]);
