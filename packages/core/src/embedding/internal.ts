/** For the packages of this repository, of the same version: without promise. */
export { clientTransport } from './clients.js';
export { verified } from './embed.js';
export { surroundingsOf } from './embedded.js';
export { handStepped } from './memory.js';
export { counted, isReported } from './transport-layer.js';
