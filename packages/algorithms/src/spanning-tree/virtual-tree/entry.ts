import { entryOf } from '../../entry.js';
import { virtualTree, virtualTreeOptions } from './protocol.js';

export const entry = entryOf('spanning-tree', (options = {}) => virtualTree(options), virtualTreeOptions);
