import { entryOf } from '../../../entry.js';
import { centralCoordinator, centralCoordinatorOptions } from './protocol.js';

export const entry = entryOf('mutual-exclusion/central', (options = {}) => centralCoordinator(options), centralCoordinatorOptions, [
  { acknowledge: true },
  { cancel: true },
]);
