import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { logicalClock } from './clocks/logical-clock/protocol.js';
import { heartbeat } from './detectors/heartbeat/protocol.js';
import { adoption } from './election/adoption/protocol.js';
import { bully } from './election/bully/protocol.js';
import { collectedIds, collectedIdsAcknowledged } from './election/collected-ids/protocol.js';
import { dolevKlaweRodeh } from './election/dolev-klawe-rodeh/protocol.js';
import { extinction } from './election/extinction/protocol.js';
import { firewire } from './election/firewire/protocol.js';
import { franklin } from './election/franklin/protocol.js';
import { fullCirculation } from './election/full-circulation/protocol.js';
import { gallagerHumbletSpira } from './election/gallager-humblet-spira/protocol.js';
import { hirschbergSinclair } from './election/hirschberg-sinclair/protocol.js';
import { hypercubeElection } from './election/hypercube/protocol.js';
import { itaiRodeh } from './election/itai-rodeh/protocol.js';
import { lelannChangRoberts } from './election/lelann-chang-roberts/protocol.js';
import { mesh } from './election/mesh/protocol.js';
import { treeWave } from './election/tree-wave/protocol.js';
import { viewLeader } from './election/view-leader/protocol.js';
import { acknowledgedMulticast } from './groups/acknowledged-multicast/protocol.js';
import { causalMulticast } from './groups/causal-multicast/protocol.js';
import { membership } from './groups/membership/protocol.js';
import { negativeMulticast } from './groups/negative-multicast/protocol.js';
import { totalMulticast } from './groups/total-multicast/protocol.js';
import { appointments } from './local-exclusion/appointments/protocol.js';
import { diningPhilosophers } from './local-exclusion/dining-philosophers/protocol.js';
import { shownOf } from './marks.js';
import { causalFairness } from './mutual-exclusion/causal-fairness/protocol.js';
import { centralCoordinator } from './mutual-exclusion/central/central-coordinator/protocol.js';
import { groupLock } from './mutual-exclusion/group/group-lock/protocol.js';
import { partOf } from './mutual-exclusion/hybrid/hierarchical/part-text.js';
import { hierarchical } from './mutual-exclusion/hybrid/hierarchical/protocol.js';
import { intervalReservation } from './mutual-exclusion/permission/interval-reservation/protocol.js';
import { lamport, lamportCancellable } from './mutual-exclusion/permission/lamport/protocol.js';
import { maekawa } from './mutual-exclusion/permission/maekawa/protocol.js';
import {
  ricartAgrawala,
  ricartAgrawalaAcknowledged,
  ricartAgrawalaCancellable,
} from './mutual-exclusion/permission/ricart-agrawala/protocol.js';
import { ricartAgrawalaEcho } from './mutual-exclusion/permission/ricart-agrawala-echo/protocol.js';
import { ricartAgrawalaRing } from './mutual-exclusion/permission/ricart-agrawala-ring/protocol.js';
import { acyclicGraph } from './mutual-exclusion/token/acyclic-graph/protocol.js';
import { echoToken } from './mutual-exclusion/token/echo-token/protocol.js';
import { huntedToken } from './mutual-exclusion/token/hunted-token/protocol.js';
import { naimiTrehel } from './mutual-exclusion/token/naimi-trehel/protocol.js';
import { raymond } from './mutual-exclusion/token/raymond/protocol.js';
import { regeneratedToken } from './mutual-exclusion/token/regenerated-token/protocol.js';
import { ricartAgrawala83 } from './mutual-exclusion/token/ricart-agrawala-83/protocol.js';
import { suzukiKasami } from './mutual-exclusion/token/suzuki-kasami/protocol.js';
import { tokenRing } from './mutual-exclusion/token/token-ring/protocol.js';
import { treeToken } from './mutual-exclusion/token/tree-token/protocol.js';
import { virtualTree } from './spanning-tree/virtual-tree/protocol.js';
import { echo } from './waves/echo/protocol.js';

/** One option of a protocol, as the command line offers it. */
export interface Option {
  readonly name: string;
  readonly type: 'boolean' | 'number' | 'string';
  readonly meaning: string;
}

/** One algorithm of the catalogue. Command line, tables, pages, mutants and the tests of all algorithms follow from its entry. */
export interface Entry {
  readonly id: string;
  readonly name: string;
  /** Its folder under this package's `src`. */
  readonly folder: string;
  /** What the tests have shown about it, as letters: see scripts/marks.mjs. */
  readonly marks: readonly string[];
  readonly options: readonly Option[];
  /** Options with another statechart. */
  readonly charted: readonly Readonly<Record<string, Json>>[];
  /** The protocol with these options; those left out have their defaults. */
  readonly make: (options?: Readonly<Record<string, Json>>) => Protocol;
}

/** Entries whose folders are in this one, under `src`. */
const of =
  (family: string) =>
  (make: Entry['make'], options: readonly Option[] = [], charted: Entry['charted'] = []): Entry => {
    const { id = '', name } = make();
    return { id, name, folder: `${family}/${name}`, options, marks: [...shownOf(id).marks], charted, make };
  };

const central = of('mutual-exclusion/central');
const permission = of('mutual-exclusion/permission');
const token = of('mutual-exclusion/token');
const local = of('local-exclusion');
const exclusion = of('mutual-exclusion');
const hybrid = of('mutual-exclusion/hybrid');
const overGroup = of('mutual-exclusion/group');
const election = of('election');
const detector = of('detectors');
const clock = of('clocks');
const wave = of('waves');
const spanningTree = of('spanning-tree');
const group = of('groups');

const holder: Option = { name: 'holder', type: 'string', meaning: 'where the token is at first' };

const cancel: Option = { name: 'cancel', type: 'boolean', meaning: 'the application may withdraw a request' };

/** Every algorithm of this package, in the order of the catalogue's ids. */
export const catalogue: readonly Entry[] = [
  central(
    (options = {}) => centralCoordinator(options),
    [
      {
        name: 'acknowledge',
        type: 'boolean',
        meaning: 'the coordinator confirms a queued request, and a client reports a silent coordinator',
      },
      { name: 'timeout', type: 'number', meaning: 'with acknowledge: how long an answer may take, in ms' },
      cancel,
    ],
    [{ acknowledge: true }, { cancel: true }],
  ),
  permission(({ cancel = false } = {}) => (cancel ? lamportCancellable : lamport), [cancel], [{ cancel: true }]),
  permission(
    ({ acknowledged = false, ...options } = {}) => {
      if (acknowledged) return ricartAgrawalaAcknowledged(options);
      return options.cancel ? ricartAgrawalaCancellable : ricartAgrawala;
    },
    [
      { name: 'acknowledged', type: 'boolean', meaning: 'a node that does not acknowledge a request in time counts as crashed' },
      { name: 'timeout', type: 'number', meaning: 'with acknowledged: how long an answer may take, in ms' },
      cancel,
    ],
    [{ acknowledged: true }, { cancel: true }],
  ),
  permission(() => ricartAgrawalaRing),
  permission(() => ricartAgrawalaEcho),
  token((options = {}) => ricartAgrawala83(options), [holder]),
  token((options = {}) => suzukiKasami(options), [holder]),
  token((options = {}) => echoToken(options), [holder]),
  token((options = {}) => treeToken(options), [holder]),
  token(
    (options = {}) => raymond(options),
    [
      { name: 'piggyback', type: 'boolean', meaning: 'token and following request in one message' },
      { name: 'greedy', type: 'number', meaning: 'how often in a row a node may enter before its turn' },
      holder,
      cancel,
    ],
    [{ piggyback: true }, { cancel: true }],
  ),
  token((options = {}) => naimiTrehel(options), [holder]),
  token(
    (options = {}) => acyclicGraph(options),
    [
      { name: 'reversal', type: 'string', meaning: 'which edges are reversed: travelled, acknowledged, numbered, or all, which is wrong' },
      { name: 'edge', type: 'string', meaning: 'the outgoing edge over which a node asks: first or any' },
      { name: 'startUp', type: 'string', meaning: 'how nodes learn their edges: wave, from an echo wave, or given' },
      holder,
    ],
    [
      { reversal: 'acknowledged', startUp: 'given' },
      { reversal: 'numbered', startUp: 'given' },
      { edge: 'any', startUp: 'given' },
    ],
  ),
  token((options = {}) => huntedToken(options), [holder]),
  token((options = {}) => tokenRing(options), [{ ...holder, meaning: 'the node that starts the token' }, cancel], [{ cancel: true }]),
  permission(
    (options = {}) => maekawa(options),
    [
      { name: 'quorums', type: 'string', meaning: 'the quorums: plane, grid, majority, or best: plane if there is one, else grid' },
      { name: 'naive', type: 'boolean', meaning: 'without deadlock resolution: it deadlocks' },
      cancel,
    ],
    [{ cancel: true }],
  ),
  hybrid(
    ({ within, between, ...counts } = {}) =>
      hierarchical({
        ...counts,
        ...(within === undefined ? {} : { within: partOf(String(within), protocolOf) }),
        ...(between === undefined ? {} : { between: partOf(String(between), protocolOf) }),
      }),
    [
      { name: 'within', type: 'string', meaning: 'the algorithm inside a cluster: token-ring, raymond?greedy=2' },
      { name: 'between', type: 'string', meaning: 'the algorithm between the clusters' },
      { name: 'clusters', type: 'number', meaning: 'how many clusters there are' },
      { name: 'turns', type: 'number', meaning: 'how many entries in a row a cluster may make while others wait' },
    ],
  ),
  token(
    (options = {}) => regeneratedToken(options),
    [
      { name: 'coordinator', type: 'string', meaning: 'the node that makes tokens; without it the nodes elect one' },
      { name: 'timeout', type: 'number', meaning: 'how long the coordinator waits for the token, in ms' },
      { name: 'blindRegenerations', type: 'number', meaning: 'tokens in a row that it makes without an inquiry' },
      cancel,
    ],
    [{ coordinator: 'a' }],
  ),
  permission(() => intervalReservation()),
  local(() => diningPhilosophers),
  local(() => appointments),
  overGroup(
    (options = {}) => groupLock(options),
    [{ name: 'window', type: 'number', meaning: 'a member acknowledges each message of the sequencer with a multiple of this number' }],
  ),
  election(
    (options = {}) => bully(options),
    [
      { name: 'timeout', type: 'number', meaning: 'how long a node waits for an answer, in ms' },
      {
        name: 'detector',
        type: 'boolean',
        meaning: 'nodes watch larger ones by heartbeats, and hold an election when they suspect the leader',
      },
      { name: 'period', type: 'number', meaning: 'with detector: the time between two heartbeats, in ms' },
      { name: 'silence', type: 'number', meaning: 'with detector: after how long without a heartbeat a node is suspected, in ms' },
      { name: 'electAtStart', type: 'boolean', meaning: 'a node holds an election at its first start, too' },
    ],
    [{ detector: true }],
  ),
  election(
    ({ acknowledged = false, ...options } = {}) => (acknowledged ? collectedIdsAcknowledged(options) : collectedIds),
    [
      { name: 'acknowledged', type: 'boolean', meaning: 'a node that does not acknowledge a message in time counts as crashed' },
      { name: 'timeout', type: 'number', meaning: 'with acknowledged: how long an answer may take, in ms' },
    ],
    [{ acknowledged: true }],
  ),
  election(() => lelannChangRoberts),
  election(
    (options = {}) => fullCirculation(options),
    [{ name: 'size', type: 'boolean', meaning: 'the nodes know the size of the ring: channels may have any order' }],
    [{ size: true }],
  ),
  election(() => franklin),
  election(() => hirschbergSinclair),
  election(() => mesh),
  election(() => hypercubeElection),
  election(() => treeWave),
  election(
    (options = {}) => firewire(options),
    [
      { name: 'tieBreak', type: 'string', meaning: 'how contention ends: random, by waits of random length, or id, the larger id wins' },
      { name: 'pause', type: 'number', meaning: 'how long a node waits before it asks its last neighbour, in ms' },
      { name: 'short', type: 'number', meaning: 'the short wait after contention, in ms' },
      { name: 'long', type: 'number', meaning: 'the long wait after contention, in ms' },
    ],
    [{ tieBreak: 'id' }],
  ),
  election(() => adoption),
  election(
    (options = {}) => extinction(options),
    [{ name: 'terminating', type: 'boolean', meaning: 'candidates start echo waves, so that every node learns the leader' }],
    [{ terminating: true }],
  ),
  spanningTree(
    (options = {}) => virtualTree(options),
    [{ name: 'addresses', type: 'number', meaning: 'how many addresses of members a newcomer gets' }],
  ),
  election(() => dolevKlaweRodeh),
  election((options = {}) => itaiRodeh(options), [{ name: 'ids', type: 'number', meaning: 'how many ids there are to draw from' }]),
  election(() => gallagerHumbletSpira),
  election(() => viewLeader()),
  clock(
    (options = {}) => logicalClock(options),
    [{ name: 'clock', type: 'string', meaning: 'which clock the nodes have: lamport or vector' }],
    [{ clock: 'vector' }],
  ),
  wave((options = {}) => echo(options), [{ name: 'initiator', type: 'string', meaning: 'the node that starts the wave' }]),
  detector(
    (options = {}) => heartbeat(options),
    [
      { name: 'period', type: 'number', meaning: 'the time between two heartbeats, in ms' },
      { name: 'timeout', type: 'number', meaning: 'after how long without a heartbeat a node is suspected, in ms' },
      { name: 'growth', type: 'number', meaning: 'by how much the time-out grows after a false suspicion, in ms' },
      { name: 'longest', type: 'number', meaning: 'up to what the time-out grows, in ms' },
    ],
  ),
  group(
    (options = {}) => acknowledgedMulticast(options),
    [
      { name: 'relay', type: 'string', meaning: 'when a member sends on what it gets: first (receipt), silence (of the origin), or never' },
      { name: 'timeout', type: 'number', meaning: 'how long a member waits for answers before it sends again, in ms' },
      { name: 'retransmissions', type: 'number', meaning: 'how often a member sends again before it gives up' },
      { name: 'patience', type: 'number', meaning: 'with relay silence: how long a member waits for the origin, in ms' },
    ],
    [{ relay: 'silence' }],
  ),
  group(
    (options = {}) => negativeMulticast(options),
    [
      { name: 'period', type: 'number', meaning: 'how long a sender waits before each summary, in ms' },
      { name: 'patience', type: 'number', meaning: 'how long another member waits for a summary before it sends one itself, in ms' },
      { name: 'retry', type: 'number', meaning: 'after how long a member asks again for a message that it lacks, in ms' },
    ],
  ),
  group(
    (options = {}) => causalMulticast(options),
    [{ name: 'order', type: 'string', meaning: 'the order of deliveries: causal, or fifo, that of each sender only' }],
  ),
  group(
    (options = {}) => totalMulticast(options),
    [{ name: 'sequencer', type: 'string', meaning: 'the member that numbers the multicasts; by default the members elect it' }],
    [{ sequencer: 'a' }],
  ),
  group(
    (options = {}) => membership(options),
    [
      { name: 'order', type: 'string', meaning: 'the order of deliveries: total, or fifo, that of each sender only' },
      { name: 'founders', type: 'number', meaning: 'how many nodes, the smallest first, are the members of view 1' },
      { name: 'window', type: 'number', meaning: 'members acknowledge each message of a sender whose position is a multiple of this' },
      { name: 'stateTransfer', type: 'boolean', meaning: 'newcomers get the state of the application' },
      { name: 'detector', type: 'boolean', meaning: 'nodes find out about crashes by heartbeats, instead of reports of the network' },
      { name: 'period', type: 'number', meaning: 'with detector: the time between two heartbeats, in ms' },
      { name: 'silence', type: 'number', meaning: 'with detector: after how long without a heartbeat a node counts as crashed, in ms' },
    ],
  ),
  exclusion(
    ({ lock } = {}) => causalFairness(lock === undefined ? {} : { lock: partOf(String(lock), protocolOf) }),
    [{ name: 'lock', type: 'string', meaning: 'the lock that is judged: ricart-agrawala, raymond?greedy=2' }],
  ),
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
