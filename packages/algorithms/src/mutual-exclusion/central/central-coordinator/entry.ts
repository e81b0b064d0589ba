import { entryOf } from '../../../entry.js';
import { centralCoordinatorOptions } from './central-coordinator.js';
import { centralCoordinator } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/central',
  (options = {}) => centralCoordinator(options),
  centralCoordinatorOptions,
  [{ acknowledge: true }, { cancel: true }],
);
