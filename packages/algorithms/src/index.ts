export { catalogue, type Entry, type Option, protocolOf } from './catalogue.js';
export { dolevKlaweRodeh } from './election/dolev-klawe-rodeh/protocol.js';
export { lelannChangRoberts } from './election/lelann-chang-roberts/protocol.js';
export { marksOf } from './marks.js';
export { type AcquireOptions, type Held, type Lock, type LockOptions, lock } from './mutual-exclusion/lock.js';
export { type RaymondOptions, raymond } from './mutual-exclusion/raymond/protocol.js';
export { ricartAgrawala } from './mutual-exclusion/ricart-agrawala/protocol.js';
