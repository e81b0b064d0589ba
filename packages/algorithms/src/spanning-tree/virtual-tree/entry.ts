import { entryOf } from '../../entry.js';
import { virtualTree } from './protocol.js';

export const entry = entryOf('spanning-tree', (options = {}) => virtualTree(options), [
  { name: 'addresses', type: 'number', meaning: 'how many addresses of members a newcomer gets' },
]);
