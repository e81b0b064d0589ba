export { run } from './run.js';
export type { Io } from './session.js';
