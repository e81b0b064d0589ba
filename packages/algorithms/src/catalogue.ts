import type { Json, Protocol } from '@conclave/core/protocol';
import { entry as logicalClock } from './clocks/logical-clock/entry.js';
import { entry as heartbeat } from './detectors/heartbeat/entry.js';
import { entry as adoption } from './election/adoption/entry.js';
import { entry as bully } from './election/bully/entry.js';
import { entry as collectedIds } from './election/collected-ids/entry.js';
import { entry as dolevKlaweRodeh } from './election/dolev-klawe-rodeh/entry.js';
import { entry as extinction } from './election/extinction/entry.js';
import { entry as firewire } from './election/firewire/entry.js';
import { entry as franklin } from './election/franklin/entry.js';
import { entry as fullCirculation } from './election/full-circulation/entry.js';
import { entry as gallagerHumbletSpira } from './election/gallager-humblet-spira/entry.js';
import { entry as hirschbergSinclair } from './election/hirschberg-sinclair/entry.js';
import { entry as hypercube } from './election/hypercube/entry.js';
import { entry as itaiRodeh } from './election/itai-rodeh/entry.js';
import { entry as lelannChangRoberts } from './election/lelann-chang-roberts/entry.js';
import { entry as mesh } from './election/mesh/entry.js';
import { entry as treeWave } from './election/tree-wave/entry.js';
import { entry as viewLeader } from './election/view-leader/entry.js';
import { type Entry, entryOf, named, noSuchAlgorithm } from './entry.js';
import { entry as acknowledgedMulticast } from './groups/acknowledged-multicast/entry.js';
import { entry as causalMulticast } from './groups/causal-multicast/entry.js';
import { entry as membership } from './groups/membership/entry.js';
import { entry as negativeMulticast } from './groups/negative-multicast/entry.js';
import { entry as totalMulticast } from './groups/total-multicast/entry.js';
import { entry as appointments } from './local-exclusion/appointments/entry.js';
import { entry as diningPhilosophers } from './local-exclusion/dining-philosophers/entry.js';
import { causalFairnessOptions } from './mutual-exclusion/causal-fairness/options.js';
import { causalFairness } from './mutual-exclusion/causal-fairness/protocol.js';
import { entry as centralCoordinator } from './mutual-exclusion/central/central-coordinator/entry.js';
import { entry as groupLock } from './mutual-exclusion/group/group-lock/entry.js';
import { hierarchicalOptions } from './mutual-exclusion/hybrid/hierarchical/options.js';
import { partOf } from './mutual-exclusion/hybrid/hierarchical/part-text.js';
import { hierarchical } from './mutual-exclusion/hybrid/hierarchical/protocol.js';
import { entry as intervalReservation } from './mutual-exclusion/permission/interval-reservation/entry.js';
import { entry as lamport } from './mutual-exclusion/permission/lamport/entry.js';
import { entry as leasedMajority } from './mutual-exclusion/permission/leased-majority/entry.js';
import { entry as maekawa } from './mutual-exclusion/permission/maekawa/entry.js';
import { entry as ricartAgrawala } from './mutual-exclusion/permission/ricart-agrawala/entry.js';
import { entry as ricartAgrawalaEcho } from './mutual-exclusion/permission/ricart-agrawala-echo/entry.js';
import { entry as ricartAgrawalaRing } from './mutual-exclusion/permission/ricart-agrawala-ring/entry.js';
import { entry as acyclicGraph } from './mutual-exclusion/token/acyclic-graph/entry.js';
import { entry as echoToken } from './mutual-exclusion/token/echo-token/entry.js';
import { entry as huntedToken } from './mutual-exclusion/token/hunted-token/entry.js';
import { entry as naimiTrehel } from './mutual-exclusion/token/naimi-trehel/entry.js';
import { entry as raymond } from './mutual-exclusion/token/raymond/entry.js';
import { entry as regeneratedToken } from './mutual-exclusion/token/regenerated-token/entry.js';
import { entry as ricartAgrawala83 } from './mutual-exclusion/token/ricart-agrawala-83/entry.js';
import { entry as suzukiKasami } from './mutual-exclusion/token/suzuki-kasami/entry.js';
import { entry as tokenRing } from './mutual-exclusion/token/token-ring/entry.js';
import { entry as treeToken } from './mutual-exclusion/token/tree-token/entry.js';
import { type OptionSchema, text } from './options.js';
import { entry as virtualTree } from './spanning-tree/virtual-tree/entry.js';
import { entry as echo } from './waves/echo/entry.js';

/** Here, a part is the name of an algorithm, with its options. */
const asText = ({ meaning }: OptionSchema) => text(meaning);

/**
 * Every algorithm of this package, in the order of the catalogue's ids. Those whose parts are other
 * algorithms of it are made here.
 */
export const catalogue: readonly Entry[] = [
  centralCoordinator,
  lamport,
  ricartAgrawala,
  ricartAgrawalaRing,
  ricartAgrawalaEcho,
  ricartAgrawala83,
  suzukiKasami,
  echoToken,
  treeToken,
  raymond,
  naimiTrehel,
  acyclicGraph,
  huntedToken,
  tokenRing,
  maekawa,
  entryOf(
    'mutual-exclusion/hybrid',
    ({ within, between, ...counts } = {}) =>
      hierarchical({
        ...counts,
        ...(within === undefined ? {} : { within: partOf(String(within), protocolOf) }),
        ...(between === undefined ? {} : { between: partOf(String(between), protocolOf) }),
      }),
    {
      ...hierarchicalOptions,
      within: asText(hierarchicalOptions.within),
      between: asText(hierarchicalOptions.between),
    },
  ),
  regeneratedToken,
  intervalReservation,
  diningPhilosophers,
  appointments,
  groupLock,
  leasedMajority,
  bully,
  collectedIds,
  lelannChangRoberts,
  fullCirculation,
  franklin,
  hirschbergSinclair,
  mesh,
  hypercube,
  treeWave,
  firewire,
  adoption,
  extinction,
  virtualTree,
  dolevKlaweRodeh,
  itaiRodeh,
  gallagerHumbletSpira,
  viewLeader,
  logicalClock,
  echo,
  heartbeat,
  acknowledgedMulticast,
  negativeMulticast,
  causalMulticast,
  totalMulticast,
  membership,
  entryOf(
    'mutual-exclusion',
    ({ lock } = {}) =>
      causalFairness(lock === undefined ? {} : { lock: partOf(String(lock), protocolOf) }),
    {
      lock: asText(causalFairnessOptions.lock),
    },
  ),
];

/**
 * The catalogue's protocol of this id (`A3`) or name (`ricart-agrawala`), in any case.
 *
 * @throws {ConclaveError} `bad-input` for one there is none of, or an option it does not have.
 */
export function protocolOf(
  idOrName: string,
  options: Readonly<Record<string, Json>> = {},
): Protocol {
  const entry = named(catalogue, idOrName);
  if (!entry) throw noSuchAlgorithm(catalogue, idOrName);
  return entry.make(options);
}
