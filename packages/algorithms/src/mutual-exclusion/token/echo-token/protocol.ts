import { always, type Protocol } from '@conclave/core/protocol';
import type { Command } from '../../mutual-exclusion.js';
import { connectedWith } from '../building-blocks/one-token.js';
import { countOf } from '../building-blocks/token-knowledge.js';
import { echoes, echoGoesBack } from '../building-blocks/walking-rules.js';
import { type Message, type WalkingTokenOptions, walkingMessages, walkingToken } from '../building-blocks/walking-token.js';
import type { Heard } from '../building-blocks/wave.js';
import { echo, machine } from './echo-token.js';

export type EchoTokenOptions = WalkingTokenOptions;

const everybodyHasHeard = always('everybody has heard of whoever waits and has its wave back', (system) => {
  const heard = system.nodes.map(({ context }) => context as unknown as Heard); // as the machine's own types say
  return system.tagged('waiting').every(({ id, context }) => {
    const { requested, awaited = {} } = context as unknown as Heard; // the same
    return countOf(awaited, id) > 0 || heard.every((other) => countOf(other.requested, id) === countOf(requested, id));
  });
});

/**
 * A5: a token that is sought by echo waves.
 *
 * @example echoToken({ holder: 'b' })
 */
export const echoToken = (options: EchoTokenOptions = {}): Protocol<Message, Command> =>
  walkingToken(
    {
      id: 'A5',
      name: 'echo-token',
      title: 'Token search by echo wave',
      citation:
        'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000, on searching a token by the echo algorithm; E. J. H. Chang: Echo Algorithms: Depth Parallel Operations on General Graphs. IEEE TSE 8:4, 1982',
      topology: connectedWith(options.holder),
      wave: echo,
      machine,
      messages: { ...walkingMessages, echo: { fields: ['initiator', 'k'], meaning: 'behind me, all have heard of it' } },
      properties: [everybodyHasHeard, echoes, echoGoesBack],
      cost: { per: 'entry', formula: '2e + path, or 0 where the token is', messages: (n) => ({ least: 0, most: (n + 1) * (n - 1) }) },
    },
    options,
  );
