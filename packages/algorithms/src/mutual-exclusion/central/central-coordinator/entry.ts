import { entryOf } from '../../../entry.js';
import { centralCoordinatorOptions } from './central-coordinator.js';
import { centralCoordinator } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/central',
  centralCoordinator,
  centralCoordinatorOptions,
  { charted: [{ acknowledge: true }, { cancel: true }] },
);
