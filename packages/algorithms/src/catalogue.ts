import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { dolevKlaweRodeh } from './election/dolev-klawe-rodeh/protocol.js';
import { lelannChangRoberts } from './election/lelann-chang-roberts/protocol.js';
import { acyclicGraph } from './mutual-exclusion/acyclic-graph/protocol.js';
import { centralCoordinator } from './mutual-exclusion/central-coordinator/protocol.js';
import { echoToken } from './mutual-exclusion/echo-token/protocol.js';
import { partOf } from './mutual-exclusion/hierarchical/part-text.js';
import { hierarchical } from './mutual-exclusion/hierarchical/protocol.js';
import { huntedToken } from './mutual-exclusion/hunted-token/protocol.js';
import { intervalReservation } from './mutual-exclusion/interval-reservation/protocol.js';
import { lamport } from './mutual-exclusion/lamport/protocol.js';
import { maekawa } from './mutual-exclusion/maekawa/protocol.js';
import { naimiTrehel } from './mutual-exclusion/naimi-trehel/protocol.js';
import { raymond } from './mutual-exclusion/raymond/protocol.js';
import { regeneratedToken } from './mutual-exclusion/regenerated-token/protocol.js';
import { ricartAgrawala, ricartAgrawalaAcknowledged } from './mutual-exclusion/ricart-agrawala/protocol.js';
import { ricartAgrawala83 } from './mutual-exclusion/ricart-agrawala-83/protocol.js';
import { suzukiKasami } from './mutual-exclusion/suzuki-kasami/protocol.js';
import { tokenRing } from './mutual-exclusion/token-ring/protocol.js';
import { treeToken } from './mutual-exclusion/tree-token/protocol.js';

/** One option of a protocol, as the command line offers it. */
export interface Option {
  readonly name: string;
  readonly type: 'boolean' | 'number' | 'string';
  readonly meaning: string;
}

/** One system of the catalogue. */
export interface Entry {
  readonly id: string;
  readonly name: string;
  /** Where it is, under this package's `src`. */
  readonly folder: string;
  readonly options: readonly Option[];
  /** The protocol with these options; those left out have their defaults. */
  readonly make: (options?: Readonly<Record<string, Json>>) => Protocol;
}

const plain = (protocol: Protocol): Entry => ({
  id: protocol.id ?? '',
  name: protocol.name,
  folder: `${protocol.problem}/${protocol.name}`,
  options: [],
  make: () => protocol,
});

/** Every algorithm of this package, in the order of the catalogue's ids. */
export const catalogue: readonly Entry[] = [
  {
    id: 'A1',
    name: 'central-coordinator',
    folder: 'mutual-exclusion/central-coordinator',
    options: [
      { name: 'acknowledge', type: 'boolean', meaning: 'whoever is queued is told so, and a silent coordinator is reported' },
      { name: 'patience', type: 'number', meaning: 'with acknowledge: how long an answer may take, in ms' },
    ],
    make: (options = {}) => centralCoordinator(options),
  },
  plain(lamport),
  {
    ...plain(ricartAgrawala),
    options: [
      { name: 'acknowledged', type: 'boolean', meaning: 'whoever does not acknowledge a request in time is taken for crashed' },
      { name: 'patience', type: 'number', meaning: 'with acknowledged: how long an answer may take, in ms' },
    ],
    make: ({ acknowledged = false, ...options } = {}) => (acknowledged ? ricartAgrawalaAcknowledged(options) : ricartAgrawala),
  },
  {
    id: 'A4',
    name: 'ricart-agrawala-83',
    folder: 'mutual-exclusion/ricart-agrawala-83',
    options: [{ name: 'holder', type: 'string', meaning: 'where the token is at first' }],
    make: (options = {}) => ricartAgrawala83(options),
  },
  {
    id: 'A4b',
    name: 'suzuki-kasami',
    folder: 'mutual-exclusion/suzuki-kasami',
    options: [{ name: 'holder', type: 'string', meaning: 'where the token is at first' }],
    make: (options = {}) => suzukiKasami(options),
  },
  {
    id: 'A5',
    name: 'echo-token',
    folder: 'mutual-exclusion/echo-token',
    options: [{ name: 'holder', type: 'string', meaning: 'where the token is at first' }],
    make: (options = {}) => echoToken(options),
  },
  {
    id: 'A6',
    name: 'tree-token',
    folder: 'mutual-exclusion/tree-token',
    options: [{ name: 'holder', type: 'string', meaning: 'where the token is at first' }],
    make: (options = {}) => treeToken(options),
  },
  {
    id: 'A7',
    name: 'raymond',
    folder: 'mutual-exclusion/raymond',
    options: [
      { name: 'piggyback', type: 'boolean', meaning: 'token and following request in one message' },
      { name: 'greedy', type: 'number', meaning: 'how often in a row a node may enter before its turn' },
      { name: 'holder', type: 'string', meaning: 'where the token is at first' },
    ],
    make: (options = {}) => raymond(options),
  },
  {
    id: 'A8',
    name: 'naimi-trehel',
    folder: 'mutual-exclusion/naimi-trehel',
    options: [{ name: 'holder', type: 'string', meaning: 'where the token is at first' }],
    make: (options = {}) => naimiTrehel(options),
  },
  {
    id: 'A9',
    name: 'acyclic-graph',
    folder: 'mutual-exclusion/acyclic-graph',
    options: [
      { name: 'reversal', type: 'string', meaning: 'which edges are turned: travelled, acknowledged, numbered, or all, which is unsafe' },
      { name: 'edge', type: 'string', meaning: 'over which edge to ask: first or any' },
      { name: 'holder', type: 'string', meaning: 'where the token is at first' },
    ],
    make: (options = {}) => acyclicGraph(options),
  },
  {
    id: 'A10',
    name: 'hunted-token',
    folder: 'mutual-exclusion/hunted-token',
    options: [{ name: 'holder', type: 'string', meaning: 'where the token is at first' }],
    make: (options = {}) => huntedToken(options),
  },
  {
    id: 'A11',
    name: 'token-ring',
    folder: 'mutual-exclusion/token-ring',
    options: [{ name: 'holder', type: 'string', meaning: 'who puts the token on the ring' }],
    make: (options = {}) => tokenRing(options),
  },
  {
    id: 'A12',
    name: 'maekawa',
    folder: 'mutual-exclusion/maekawa',
    options: [
      { name: 'quorums', type: 'string', meaning: 'whom a node asks: plane, grid, majority, or the best: plane, else grid' },
      { name: 'naive', type: 'boolean', meaning: 'without the repair: it deadlocks' },
    ],
    make: (options = {}) => maekawa(options),
  },
  {
    id: 'A13',
    name: 'hierarchical',
    folder: 'mutual-exclusion/hierarchical',
    options: [
      { name: 'within', type: 'string', meaning: 'the algorithm inside a cluster: token-ring, raymond?greedy=2' },
      { name: 'between', type: 'string', meaning: 'the algorithm between the clusters' },
      { name: 'clusters', type: 'number', meaning: 'how many clusters there are' },
      { name: 'turns', type: 'number', meaning: 'how many entries in a row a cluster may make' },
    ],
    make: ({ within, between, ...counts } = {}) =>
      hierarchical({
        ...counts,
        ...(within === undefined ? {} : { within: partOf(String(within), protocolOf) }),
        ...(between === undefined ? {} : { between: partOf(String(between), protocolOf) }),
      }),
  },
  {
    id: 'A14',
    name: 'regenerated-token',
    folder: 'mutual-exclusion/regenerated-token',
    options: [
      { name: 'coordinator', type: 'string', meaning: 'who makes tokens, if nobody is to be elected' },
      { name: 'patience', type: 'number', meaning: 'how long the coordinator waits for the token, in ms' },
      { name: 'guesses', type: 'number', meaning: 'how many tokens in a row it makes before it inquires whether somebody is inside' },
    ],
    make: (options = {}) => regeneratedToken(options),
  },
  plain(intervalReservation()),
  plain(lelannChangRoberts),
  plain(dolevKlaweRodeh),
];

/**
 * The catalogue's protocol of this id (`A3`) or name (`ricart-agrawala`), in any case.
 *
 * @throws {ConclaveError} `bad-input` for one there is none of, or an option it does not have.
 */
export function protocolOf(idOrName: string, options: Readonly<Record<string, Json>> = {}): Protocol {
  const wanted = idOrName.toLowerCase();
  const entry = catalogue.find(({ id, name }) => id.toLowerCase() === wanted || name === wanted);
  const known = catalogue.map(({ id, name }) => `${id} ${name}`).join(', ');
  if (!entry)
    throw new ConclaveError(
      'bad-input',
      `There is no algorithm '${idOrName}'`,
      `There are ${known}; or give the path of a module of your own.`,
    );
  for (const [name, value] of Object.entries(options)) {
    const option = entry.options.find((known) => known.name === name);
    const offered = entry.options.map(({ name, type }) => `${name} (${type})`).join(', ') || 'none';
    if (!option) throw new ConclaveError('bad-input', `${entry.name} has no option '${name}'`, `It has ${offered}.`);
    if (typeof value !== option.type)
      throw new ConclaveError('bad-input', `${entry.name}: the option ${name} is a ${option.type}, not ${JSON.stringify(value)}`);
  }
  return entry.make(options);
}
