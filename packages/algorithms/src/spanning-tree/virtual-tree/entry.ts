import { entryOf } from '../../entry.js';
import { virtualTreeOptions } from './options.js';
import { virtualTree } from './protocol.js';

export const entry = entryOf(
  'spanning-tree',
  (options = {}) => virtualTree(options),
  virtualTreeOptions,
);
