import { chain, complete, topology } from '@conclave/core/topology';
import {
  type Mutants,
  type Run,
  run,
  runs,
  systemsOf,
  type Verified,
} from '../../../checks/checks.js';
import { pairs, smallGraphs } from '../../../checks/networks.js';
import { echoToken } from './protocol.js';

/** On a tree a node hears each search once: the rest of the wave needs a cycle. */
const systems: Mutants[string]['systems'] = () => [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: chain(3), budget: { commands: 1 } },
  { topology: complete(3), budget: { commands: 1, initiators: ['b', 'c'] } },
  { topology: complete(3), budget: { commands: 2, initiators: ['c'] } },
  {
    topology: topology('edges:a,b,c,d,a-b,b-c,c-a,c-d'),
    budget: { commands: 2, initiators: ['c'] },
  },
];

export const mutants: Mutants = { withoutOptions: { systems }, 'greedy=1': { systems } };

export const verified: Verified = () =>
  systemsOf('A5 Token search by echo wave', [
    runs(
      'the 31 graphs of 4 with at most 4 edges',
      'an entry for any two of them, any order',
      smallGraphs(4, 4).flatMap((graph) =>
        pairs(graph.nodes).map((initiators): Run => [echoToken(), graph, { initiators }]),
      ),
    ),
    run('triangle', 'an entry each, any order', echoToken(), complete(3)),
    run('chain of 3', '2 entries each, any order', echoToken(), chain(3), { commands: 2 }),
    run(
      '4 nodes with all edges but one',
      'an entry for c and d, any order',
      echoToken(),
      topology('edges:a-b,a-c,a-d,b-c,b-d'),
      { initiators: ['c', 'd'] },
    ),
    run('chain of 4', 'an entry each, any order', echoToken(), chain(4)),
  ]);
