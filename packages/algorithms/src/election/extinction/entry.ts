import { entryOf } from '../../entry.js';
import { extinction } from './protocol.js';

export const entry = entryOf(
  'election',
  (options = {}) => extinction(options),
  [{ name: 'terminating', type: 'boolean', meaning: 'candidates start echo waves, so that every node learns the leader' }],
  [{ terminating: true }],
);
