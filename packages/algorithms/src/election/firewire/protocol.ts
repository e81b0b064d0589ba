import { defineProtocol, type Protocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../options.js';
import { type Command, commands, decision } from '../election.js';
import { type Message, machine, tieBreakingMachine } from './firewire.js';
import { firewireOptions, type Options } from './options.js';
import { byChance, byIds, ownProperties } from './properties.js';

export type { Command, Options };

/**
 * B10: root election of FireWire.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example firewire({ tieBreak: 'id' })
 */
export const firewire = (options: Options = {}): Protocol<Command> => {
  const {
    tieBreak = 'random',
    pause = 10,
    short = 240,
    long = 570,
  } = validOptions('firewire', firewireOptions, options);
  const random = tieBreak === 'random';
  return defineProtocol<Message, Command>({
    id: 'B10',
    name: 'firewire',
    title: 'FireWire root election',
    problem: 'election',
    citation:
      'IEEE Standard for a High Performance Serial Bus, IEEE Std 1394-1995, tree identification; M. Devillers, W. Griffioen, J. Romijn, F. Vaandrager: Verification of a Leader Election Protocol: Formal Methods Applied to IEEE 1394. Formal Methods in System Design 16:3, 2000, 307–320',
    ...(Object.keys(options).length > 0 ? { options } : {}),
    times: timers({ pause, short, long }),
    topology: needs.tree,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      node: {
        machine: random ? machine : tieBreakingMachine,
        input: (self, topology) => ({
          self,
          neighbours: topology.successors(self),
          pause,
          short,
          long,
        }),
      },
    },
    messages: {
      'bus-reset': { meaning: 'an election begins' },
      'be-my-parent': { meaning: 'all my other neighbours are my children' },
      'you-are-my-child': { meaning: 'I am your parent' },
      elected: { fields: ['id'], meaning: 'node `id` is the root' },
    },
    commands,
    ...(random && { rewards: { draws: ({ cause }) => (cause.kind === 'choice' ? 1 : 0) } }),
    // An adversary that answers each choice can let both nodes draw the same wait forever: no
    // property about all runs can say that the election ends.
    properties: [
      ...decision.filter(({ kind }) => !random || kind !== 'eventually'),
      ...ownProperties,
      random ? byChance : byIds,
    ],
    cost: {
      per: 'election',
      formula: random ? '4(n−1) … 5(n−1)' : '4(n−1) … 5(n−1) + 1',
      remark: `${random ? 'and 2 more for each contention; ' : ''}2(n−1) of them find the root`,
      messages: (n) => ({
        least: 4 * (n - 1),
        most: random ? Infinity : n === 1 ? 0 : 5 * (n - 1) + 1,
      }),
    },
  });
};
