import { entryOf } from '../../entry.js';
import { creditRecoveryOptions } from './credit-recovery.js';
import { creditRecovery } from './protocol.js';

export const entry = entryOf('global-states', creditRecovery, creditRecoveryOptions);
