import { entryOf } from '../../entry.js';
import { virtualTree } from './protocol.js';
import { virtualTreeOptions } from './virtual-tree.js';

export const entry = entryOf('spanning-tree', virtualTree, virtualTreeOptions);
