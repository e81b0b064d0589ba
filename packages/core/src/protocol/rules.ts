import { ConclaveError } from './error.js';

/** What every protocol is checked for wherever it runs, as the name of a property. */
export const handled = 'every message is handled or explicitly ignored';

/** Whether a machine has broken the rules of the node contract, rather than whoever asked it. */
export const breaksRules = (error: unknown): error is ConclaveError =>
  error instanceof ConclaveError && (error.code === 'unhandled' || error.code === 'bad-protocol');
