export { catalogue, type Entry, type Option, protocolOf } from './catalogue.js';
export { dolevKlaweRodeh } from './election/dolev-klawe-rodeh/protocol.js';
export { lelannChangRoberts } from './election/lelann-chang-roberts/protocol.js';
export { centralCoordinator } from './mutual-exclusion/central/central-coordinator/protocol.js';
export { hierarchical } from './mutual-exclusion/hybrid/hierarchical/protocol.js';
export { type AcquireOptions, type Held, type Lock, type LockOptions, lock } from './mutual-exclusion/lock.js';
export { type ConflictRelation, type Interval, overlap } from './mutual-exclusion/permission/interval-reservation/interval.js';
export { intervalReservation } from './mutual-exclusion/permission/interval-reservation/protocol.js';
export { lamport } from './mutual-exclusion/permission/lamport/protocol.js';
export { maekawa } from './mutual-exclusion/permission/maekawa/protocol.js';
export {
  ricartAgrawala,
  ricartAgrawalaAcknowledged,
} from './mutual-exclusion/permission/ricart-agrawala/protocol.js';
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
