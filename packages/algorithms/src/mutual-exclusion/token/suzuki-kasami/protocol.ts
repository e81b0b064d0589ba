import type { FencedProtocol } from '@conclave/core/protocol';
import { validOptions } from '../../../options.js';
import type { Command } from '../../mutual-exclusion.js';
import { broadcastToken } from '../building-blocks/broadcast-token.js';
import { greedyOptions, type Options } from '../building-blocks/greedy.js';
import { machine } from './suzuki-kasami.js';

export type { Command, Options };

/**
 * A4b: Suzuki and Kasami's token, requested by broadcast, with the queue on it.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example suzukiKasami({ greedy: 10 })
 */
export const suzukiKasami = (options: Options = {}): FencedProtocol<Command> =>
  broadcastToken(
    {
      id: 'A4b',
      name: 'suzuki-kasami',
      title: 'Suzuki–Kasami',
      citation:
        'I. Suzuki, T. Kasami: A Distributed Mutual Exclusion Algorithm. ACM TOCS 3:4, 1985',
      machine,
      queue: true,
    },
    validOptions('suzukiKasami', greedyOptions, options),
  );
