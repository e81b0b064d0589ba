/** For the packages of this repository, of the same version: without promise. */
export { clientTransport } from './clients.js';
export { type HandStepped, handStepped } from './hand-stepped.js';
export { counted, isReported } from './refusal-counts.js';
export { surroundingsOf } from './requirements.js';
export { verified } from './verified.js';
