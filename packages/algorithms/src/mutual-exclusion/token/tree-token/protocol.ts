import type { Protocol } from '@conclave/core/protocol';
import { treeWith } from '../../../named-node.js';
import type { Command } from '../../mutual-exclusion.js';

import { type Echo, type Message, type SearchTokenOptions, searchMessages, searchTokenProtocol } from '../building-blocks/search-token.js';
import { machine } from './tree-token.js';

/**
 * A6: a token that is searched for over all edges of a tree.
 *
 * @example treeToken({ holder: 'b' })
 */
export const treeToken = (options: SearchTokenOptions = {}): Protocol<Exclude<Message, Echo>, Command> =>
  searchTokenProtocol(
    {
      id: 'A6',
      name: 'tree-token',
      title: 'Token search on an undirected spanning tree',
      citation: 'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000, on searching a token over a spanning tree',
      topology: treeWith('holder', options.holder),
      echoes: false,
      machine,
      messages: searchMessages,
      properties: [],
      cost: { per: 'entry', formula: 'n−1 + path', remark: 'or 0 where the token is', messages: (n) => ({ least: 0, most: 2 * (n - 1) }) },
    },
    options,
  );
