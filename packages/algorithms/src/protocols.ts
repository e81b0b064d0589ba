/** The protocols of all algorithms. `npm run algorithm` writes this file. */
export { paxos } from './agreement/paxos/protocol.js';
export { raftElection } from './agreement/raft-election/protocol.js';
export { threePhaseCommit } from './agreement/three-phase-commit/protocol.js';
export { twoPhaseCommit } from './agreement/two-phase-commit/protocol.js';
export { logicalClock } from './clocks/logical-clock/protocol.js';
export { heartbeat } from './detectors/heartbeat/protocol.js';
export { membership } from './detectors/membership/protocol.js';
export { adoption } from './election/adoption/protocol.js';
export { bully } from './election/bully/protocol.js';
export { collectedIds, collectedIdsAcknowledged } from './election/collected-ids/protocol.js';
export { dolevKlaweRodeh } from './election/dolev-klawe-rodeh/protocol.js';
export { extinction } from './election/extinction/protocol.js';
export { firewire } from './election/firewire/protocol.js';
export { franklin } from './election/franklin/protocol.js';
export { fullCirculation } from './election/full-circulation/protocol.js';
export { gallagerHumbletSpira } from './election/gallager-humblet-spira/protocol.js';
export { hirschbergSinclair } from './election/hirschberg-sinclair/protocol.js';
export { hypercubeElection } from './election/hypercube/protocol.js';
export { itaiRodeh } from './election/itai-rodeh/protocol.js';
export { lelannChangRoberts } from './election/lelann-chang-roberts/protocol.js';
export { mesh } from './election/mesh/protocol.js';
export { repeated } from './election/repeated/protocol.js';
export { treeWave } from './election/tree-wave/protocol.js';
export { viewLeader } from './election/view-leader/protocol.js';
export { chandyLamport } from './global-states/chandy-lamport/protocol.js';
export { creditRecovery } from './global-states/credit-recovery/protocol.js';
export { dijkstraScholten } from './global-states/dijkstra-scholten/protocol.js';
export { laiYang } from './global-states/lai-yang/protocol.js';
export { safra } from './global-states/safra/protocol.js';
export { acknowledgedMulticast } from './groups/acknowledged-multicast/protocol.js';
export { causalMulticast } from './groups/causal-multicast/protocol.js';
export { negativeMulticast } from './groups/negative-multicast/protocol.js';
export { totalMulticast } from './groups/total-multicast/protocol.js';
export { multipleEntries } from './k-exclusion/multiple-entries/protocol.js';
export { appointments } from './local-exclusion/appointments/protocol.js';
export { diningPhilosophers } from './local-exclusion/dining-philosophers/protocol.js';
export { causalFairness } from './mutual-exclusion/causal-fairness/protocol.js';
export { centralCoordinator } from './mutual-exclusion/central/central-coordinator/protocol.js';
export { leaseInOneRow } from './mutual-exclusion/central/lease-in-one-row/protocol.js';
export { groupLock } from './mutual-exclusion/group/group-lock/protocol.js';
export { hierarchical } from './mutual-exclusion/hybrid/hierarchical/protocol.js';
export {
  intervalReservation,
  readersWriters,
} from './mutual-exclusion/permission/interval-reservation/protocol.js';
export { lamport, lamportCancellable } from './mutual-exclusion/permission/lamport/protocol.js';
export { leasedMajority } from './mutual-exclusion/permission/leased-majority/protocol.js';
export { maekawa } from './mutual-exclusion/permission/maekawa/protocol.js';
export {
  ricartAgrawala,
  ricartAgrawalaAcknowledged,
  ricartAgrawalaCancellable,
} from './mutual-exclusion/permission/ricart-agrawala/protocol.js';
export { ricartAgrawalaEcho } from './mutual-exclusion/permission/ricart-agrawala-echo/protocol.js';
export { ricartAgrawalaRing } from './mutual-exclusion/permission/ricart-agrawala-ring/protocol.js';
export { acyclicGraph } from './mutual-exclusion/token/acyclic-graph/protocol.js';
export { echoToken } from './mutual-exclusion/token/echo-token/protocol.js';
export { huntedToken } from './mutual-exclusion/token/hunted-token/protocol.js';
export { naimiTrehel } from './mutual-exclusion/token/naimi-trehel/protocol.js';
export { raymond } from './mutual-exclusion/token/raymond/protocol.js';
export { regeneratedToken } from './mutual-exclusion/token/regenerated-token/protocol.js';
export { ricartAgrawala83 } from './mutual-exclusion/token/ricart-agrawala-83/protocol.js';
export { suzukiKasami } from './mutual-exclusion/token/suzuki-kasami/protocol.js';
export { tokenRing } from './mutual-exclusion/token/token-ring/protocol.js';
export { treeToken } from './mutual-exclusion/token/tree-token/protocol.js';
export { virtualTree } from './spanning-tree/virtual-tree/protocol.js';
export { echo } from './waves/echo/protocol.js';
