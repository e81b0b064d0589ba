import { always, type FencedProtocol } from '@conclave/core/protocol';
import { connectedWith, validOptions } from '../../../options.js';
import type { Command } from '../../mutual-exclusion.js';
import { greedyOptions, type Options } from '../building-blocks/greedy.js';
import {
  echoes,
  echoGoesBack,
  knowledgeOf,
  searchMessages,
  searchTokenProtocol,
} from '../building-blocks/search-token.js';
import { countOf } from '../building-blocks/token.js';
import { machine } from './echo-token.js';

export type { Command, Options };

const allHaveHeard = always(
  'all nodes know the request of a waiting node whose wave has returned',
  (system) => {
    const nodes = system.nodes.map(knowledgeOf);
    return system
      .tagged('waiting')
      .map(knowledgeOf)
      .every(({ self, requested, pendingReplies = {} }) => {
        const latest = countOf(requested, self);
        return (
          countOf(pendingReplies, self) > 0 ||
          nodes.every((other) => countOf(other.requested, self) === latest)
        );
      });
  },
);

/**
 * A5: a token that is searched for by echo waves.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example echoToken({ greedy: 10 })
 */
export const echoToken = (options: Options = {}): FencedProtocol<Command> =>
  searchTokenProtocol(
    {
      id: 'A5',
      name: 'echo-token',
      title: 'Token search by echo wave',
      citation:
        'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000, on searching a token by the echo algorithm; E. J. H. Chang: Echo Algorithms: Depth Parallel Operations on General Graphs. IEEE TSE 8:4, 1982',
      topology: connectedWith('holder', options.holder),
      echoes: true,
      machine,
      messages: {
        ...searchMessages,
        echo: {
          fields: ['initiator', 'k'],
          counters: ['k'],
          meaning: 'all nodes behind the sender know the request',
        },
      },
      properties: [allHaveHeard, echoes, echoGoesBack],
      cost: {
        per: 'entry',
        formula: '2e + path',
        remark: 'or 0 with the token',
        messages: (n, topology) => ({
          least: 0,
          most: (topology ? topology.links.length : n * (n - 1)) + n - 1,
        }),
      },
    },
    validOptions('echoToken', greedyOptions, options),
  );
