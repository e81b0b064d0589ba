import type { ExploreOptions } from '@conclave/check';
import { chain, complete, topology } from '@conclave/core/topology';
import { type Mutants, type Run, runs, systemsOf, type Verified } from '../../../checks/checks.js';
import { allGraphs, onEach } from '../../../checks/networks.js';
import { acyclicGraph } from './protocol.js';

/** A square with a diagonal: some news reach a node that has asked. */
const diamond = topology('edges:a-b,b-c,c-d,d-a,a-c');

/** Without a cycle there are no neighbours to tell. */
const cycles = () => [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: complete(3), budget: { commands: 1 } },
  { topology: complete(3), budget: { commands: 2 } },
  { topology: diamond, budget: { commands: 1 } },
];

export const mutants: Mutants = {
  // Two explorers cross in a triangle, and in a chain of three a request may overtake an echo.
  withoutOptions: {
    systems: () => [...cycles(), { topology: chain(3), budget: { commands: 1 } }],
  },
  'reversal=acknowledged startUp=given': { systems: cycles },
  'reversal=numbered startUp=given': { systems: cycles },
  'edge=any startUp=given': {
    systems: () => [...cycles().slice(0, 2), { topology: chain(3), budget: { commands: 2 } }],
  },
};

/** The orientation depends on ids too, so these are all labelled graphs; the first has the token. */
const given = (options: object) => acyclicGraph({ ...options, startUp: 'given' });
/** Each node has the token in turn. */
const graphsAnywhere = (n: number, options: object, budget: ExploreOptions) =>
  allGraphs(n).flatMap((graph) =>
    graph.nodes.map((holder): Run => [given({ ...options, holder }), graph, budget]),
  );
const labelled = (n: number, graphs: number) => `all ${graphs} labelled graphs of ${n} nodes`;

export const verified: Verified = () =>
  systemsOf('A9 Token on a directed acyclic graph', [
    runs(
      labelled(4, 38),
      'acknowledged, an entry each, any order',
      onEach(given({ reversal: 'acknowledged' }), allGraphs(4)),
    ),
    runs(
      labelled(4, 38),
      'numbered, an entry each, any order',
      onEach(given({ reversal: 'numbered' }), allGraphs(4)),
    ),
    runs(
      labelled(4, 38),
      'travelled, token anywhere, 2 entries each, any order',
      graphsAnywhere(4, {}, { commands: 2 }),
    ),
    runs(
      labelled(4, 38),
      'travelled, requests over any edge, 2 entries each, any order',
      onEach(given({ edge: 'any' }), allGraphs(4), { commands: 2 }),
    ),
    runs(labelled(5, 728), 'travelled, an entry each, any order', onEach(given({}), allGraphs(5))),
    runs(
      labelled(4, 38),
      'acknowledged, 2 entries each, FIFO',
      onEach(given({ reversal: 'acknowledged' }), allGraphs(4), { commands: 2, order: 'fifo' }),
    ),
    runs(
      labelled(4, 38),
      'acknowledged, requests over any edge, an entry each, any order',
      onEach(given({ reversal: 'acknowledged', edge: 'any' }), allGraphs(4)),
    ),
    runs(
      labelled(4, 38),
      'numbered, requests over any edge, an entry each, any order',
      onEach(given({ reversal: 'numbered', edge: 'any' }), allGraphs(4)),
    ),
    runs(
      labelled(3, 4),
      'numbered, token anywhere, 3 entries each, any order',
      graphsAnywhere(3, { reversal: 'numbered' }, { commands: 3 }),
    ),
    runs(
      labelled(4, 38),
      'start-up by a wave, travelled, an entry each, any order',
      onEach(acyclicGraph(), allGraphs(4)),
    ),
    runs(
      labelled(3, 4),
      'start-up by a wave, numbered, 2 entries each, any order',
      onEach(acyclicGraph({ reversal: 'numbered' }), allGraphs(3), { commands: 2 }),
    ),
  ]);
