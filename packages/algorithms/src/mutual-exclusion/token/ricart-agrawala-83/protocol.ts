import type { FencedProtocol } from '@conclave/core/protocol';
import { validOptions } from '../../../options.js';
import type { Command } from '../../mutual-exclusion.js';
import { broadcastToken } from '../building-blocks/broadcast-token.js';
import { greedyOptions, type Options } from '../building-blocks/greedy.js';
import { machine } from './ricart-agrawala-83.js';

export type { Command, Options };

/**
 * A4: Ricart and Agrawala's token, requested by broadcast.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example ricartAgrawala83({ greedy: 10 })
 */
export const ricartAgrawala83 = (options: Options = {}): FencedProtocol<Command> =>
  broadcastToken(
    {
      id: 'A4',
      name: 'ricart-agrawala-83',
      title: 'Ricart–Agrawala 1983',
      citation:
        "G. Ricart, A. K. Agrawala: Authors' Response to 'On Mutual Exclusion in Computer Networks' by O. S. F. Carvalho and G. Roucairol. CACM 26:2, 1983",
      machine,
      queue: false,
    },
    validOptions('ricartAgrawala83', greedyOptions, options),
  );
