/** Unstable: for the packages of this house only, of the same version. */
export { clientTransport } from './clients.js';
export { verified } from './embed.js';
export { surroundingsOf } from './embedded.js';
export { handStepped } from './memory.js';
export { counted, isReported } from './repeats.js';
