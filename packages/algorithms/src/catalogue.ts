import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { dolevKlaweRodeh } from './election/dolev-klawe-rodeh/protocol.js';
import { lelannChangRoberts } from './election/lelann-chang-roberts/protocol.js';
import { centralCoordinator } from './mutual-exclusion/central-coordinator/protocol.js';
import { intervalReservation } from './mutual-exclusion/interval-reservation/protocol.js';
import { lamport } from './mutual-exclusion/lamport/protocol.js';
import { naimiTrehel } from './mutual-exclusion/naimi-trehel/protocol.js';
import { raymond } from './mutual-exclusion/raymond/protocol.js';
import { ricartAgrawala } from './mutual-exclusion/ricart-agrawala/protocol.js';
import { ricartAgrawala83 } from './mutual-exclusion/ricart-agrawala-83/protocol.js';
import { suzukiKasami } from './mutual-exclusion/suzuki-kasami/protocol.js';
import { tokenRing } from './mutual-exclusion/token-ring/protocol.js';

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
  plain(ricartAgrawala),
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
    id: 'A11',
    name: 'token-ring',
    folder: 'mutual-exclusion/token-ring',
    options: [{ name: 'holder', type: 'string', meaning: 'who puts the token on the ring' }],
    make: (options = {}) => tokenRing(options),
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
