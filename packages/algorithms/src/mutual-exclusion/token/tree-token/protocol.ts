import type { FencedProtocol } from '@conclave/core/protocol';
import { treeWith, validOptions } from '../../../options.js';
import type { Command } from '../../mutual-exclusion.js';
import { greedyOptions, type Options } from '../building-blocks/greedy.js';
import {
  type Echo,
  type Message,
  searchMessages,
  searchTokenProtocol,
} from '../building-blocks/search-token.js';
import { machine } from './tree-token.js';

export type { Command, Options };

/**
 * A6: a token that is searched for over all edges of a tree.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example treeToken({ greedy: 10 })
 */
export const treeToken = (options: Options = {}): FencedProtocol<Command> =>
  searchTokenProtocol<Exclude<Message, Echo>>(
    {
      id: 'A6',
      name: 'tree-token',
      title: 'Token search on an undirected spanning tree',
      citation:
        'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000, on searching a token over a spanning tree',
      topology: treeWith('holder', options.holder),
      echoes: false,
      machine,
      messages: searchMessages,
      properties: [],
      cost: {
        per: 'entry',
        formula: 'n−1 + path',
        remark: 'or 0 with the token',
        messages: (n) => ({ least: 0, most: 2 * (n - 1) }),
      },
    },
    validOptions('treeToken', greedyOptions, options),
  );
