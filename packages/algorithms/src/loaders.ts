/** How each algorithm of the catalogue is loaded. `npm run generate` writes this file. */
import type { Entry } from './entry.js';

interface Loader {
  readonly id: string;
  readonly name: string;
  /**
   * Absent where the parts of the algorithm may be any other: then it is loaded with the catalogue.
   */
  readonly load?: () => Promise<{ readonly entry: Entry }>;
}

export const loaders: readonly Loader[] = [
  {
    id: 'A1',
    name: 'central-coordinator',
    load: () => import('./mutual-exclusion/central/central-coordinator/entry.js'),
  },
  {
    id: 'A2',
    name: 'lamport',
    load: () => import('./mutual-exclusion/permission/lamport/entry.js'),
  },
  {
    id: 'A3',
    name: 'ricart-agrawala',
    load: () => import('./mutual-exclusion/permission/ricart-agrawala/entry.js'),
  },
  {
    id: 'A3b',
    name: 'ricart-agrawala-ring',
    load: () => import('./mutual-exclusion/permission/ricart-agrawala-ring/entry.js'),
  },
  {
    id: 'A3c',
    name: 'ricart-agrawala-echo',
    load: () => import('./mutual-exclusion/permission/ricart-agrawala-echo/entry.js'),
  },
  {
    id: 'A4',
    name: 'ricart-agrawala-83',
    load: () => import('./mutual-exclusion/token/ricart-agrawala-83/entry.js'),
  },
  {
    id: 'A4b',
    name: 'suzuki-kasami',
    load: () => import('./mutual-exclusion/token/suzuki-kasami/entry.js'),
  },
  {
    id: 'A5',
    name: 'echo-token',
    load: () => import('./mutual-exclusion/token/echo-token/entry.js'),
  },
  {
    id: 'A6',
    name: 'tree-token',
    load: () => import('./mutual-exclusion/token/tree-token/entry.js'),
  },
  { id: 'A7', name: 'raymond', load: () => import('./mutual-exclusion/token/raymond/entry.js') },
  {
    id: 'A8',
    name: 'naimi-trehel',
    load: () => import('./mutual-exclusion/token/naimi-trehel/entry.js'),
  },
  {
    id: 'A9',
    name: 'acyclic-graph',
    load: () => import('./mutual-exclusion/token/acyclic-graph/entry.js'),
  },
  {
    id: 'A10',
    name: 'hunted-token',
    load: () => import('./mutual-exclusion/token/hunted-token/entry.js'),
  },
  {
    id: 'A11',
    name: 'token-ring',
    load: () => import('./mutual-exclusion/token/token-ring/entry.js'),
  },
  {
    id: 'A12',
    name: 'maekawa',
    load: () => import('./mutual-exclusion/permission/maekawa/entry.js'),
  },
  { id: 'A13', name: 'hierarchical' },
  {
    id: 'A14',
    name: 'regenerated-token',
    load: () => import('./mutual-exclusion/token/regenerated-token/entry.js'),
  },
  {
    id: 'A15',
    name: 'interval-reservation',
    load: () => import('./mutual-exclusion/permission/interval-reservation/entry.js'),
  },
  {
    id: 'A16',
    name: 'dining-philosophers',
    load: () => import('./local-exclusion/dining-philosophers/entry.js'),
  },
  {
    id: 'A17',
    name: 'appointments',
    load: () => import('./local-exclusion/appointments/entry.js'),
  },
  {
    id: 'A18',
    name: 'group-lock',
    load: () => import('./mutual-exclusion/group/group-lock/entry.js'),
  },
  {
    id: 'A19',
    name: 'leased-majority',
    load: () => import('./mutual-exclusion/permission/leased-majority/entry.js'),
  },
  { id: 'B1', name: 'bully', load: () => import('./election/bully/entry.js') },
  { id: 'B2', name: 'collected-ids', load: () => import('./election/collected-ids/entry.js') },
  {
    id: 'B3',
    name: 'lelann-chang-roberts',
    load: () => import('./election/lelann-chang-roberts/entry.js'),
  },
  {
    id: 'B4',
    name: 'full-circulation',
    load: () => import('./election/full-circulation/entry.js'),
  },
  { id: 'B5', name: 'franklin', load: () => import('./election/franklin/entry.js') },
  {
    id: 'B6',
    name: 'hirschberg-sinclair',
    load: () => import('./election/hirschberg-sinclair/entry.js'),
  },
  { id: 'B7', name: 'mesh', load: () => import('./election/mesh/entry.js') },
  { id: 'B8', name: 'hypercube', load: () => import('./election/hypercube/entry.js') },
  { id: 'B9', name: 'tree-wave', load: () => import('./election/tree-wave/entry.js') },
  { id: 'B10', name: 'firewire', load: () => import('./election/firewire/entry.js') },
  { id: 'B11', name: 'adoption', load: () => import('./election/adoption/entry.js') },
  { id: 'B12', name: 'extinction', load: () => import('./election/extinction/entry.js') },
  { id: 'B13', name: 'virtual-tree', load: () => import('./spanning-tree/virtual-tree/entry.js') },
  {
    id: 'B14',
    name: 'dolev-klawe-rodeh',
    load: () => import('./election/dolev-klawe-rodeh/entry.js'),
  },
  { id: 'B15', name: 'itai-rodeh', load: () => import('./election/itai-rodeh/entry.js') },
  {
    id: 'B16',
    name: 'gallager-humblet-spira',
    load: () => import('./election/gallager-humblet-spira/entry.js'),
  },
  { id: 'B17', name: 'view-leader', load: () => import('./election/view-leader/entry.js') },
  { id: 'C1', name: 'logical-clock', load: () => import('./clocks/logical-clock/entry.js') },
  { id: 'C2', name: 'echo', load: () => import('./waves/echo/entry.js') },
  { id: 'C3', name: 'heartbeat', load: () => import('./detectors/heartbeat/entry.js') },
  {
    id: 'C4',
    name: 'acknowledged-multicast',
    load: () => import('./groups/acknowledged-multicast/entry.js'),
  },
  {
    id: 'C4b',
    name: 'negative-multicast',
    load: () => import('./groups/negative-multicast/entry.js'),
  },
  { id: 'C4c', name: 'causal-multicast', load: () => import('./groups/causal-multicast/entry.js') },
  { id: 'C4t', name: 'total-multicast', load: () => import('./groups/total-multicast/entry.js') },
  { id: 'C5', name: 'membership', load: () => import('./groups/membership/entry.js') },
  { id: 'C6', name: 'causal-fairness' },
];
