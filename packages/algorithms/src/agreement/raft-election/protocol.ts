import { defineProtocol, type Protocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands } from '../../election/election.js';
import { timers, validOptions } from '../../options.js';
import { history, properties, settled } from './properties.js';
import {
  type Message,
  machine,
  type Options,
  raftElectionOptions,
  timedMachine,
} from './raft-election.js';

export type { Command, Options };

/**
 * E5: the leader election of Raft.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example raftElection({ heartbeats: true })
 */
export function raftElection(options: Options = {}): Protocol<Command> {
  const {
    heartbeats = false,
    period = 100,
    timeout = 3 * period,
    spread = period,
  } = validOptions('raftElection', raftElectionOptions, options);
  return defineProtocol<Message, Command>({
    id: 'E5',
    name: 'raft-election',
    title: 'Leader election of Raft',
    problem: 'leader-of-a-term',
    citation:
      'D. Ongaro, J. Ousterhout: In Search of an Understandable Consensus Algorithm. USENIX Annual Technical Conference, 2014, 305–319, section 5.2',
    options: heartbeats ? { heartbeats, period, timeout, spread } : {},
    times: heartbeats ? timers({ period, timeout, spread }) : {},
    topology: needs.complete,
    channels: {
      order: 'any',
      loss: true,
      duplication: true,
      ...(heartbeats && { time: { kind: 'exact', delay: [0, period / 4] } }),
    },
    tolerates: ['crash', 'restart'],
    roles: {
      node: {
        machine: heartbeats ? timedMachine : machine,
        input: (self, { nodes }) => ({
          self,
          peers: nodes.filter((id) => id !== self),
          period,
          timeout: timeout + spread * nodes.indexOf(self),
          term: 0,
          votedFor: null,
        }),
        stable: ['term', 'votedFor'],
        counters: ['term'],
      },
    },
    messages: {
      'request-vote': {
        fields: ['term'],
        counters: ['term'],
        meaning: 'I stand in this term: vote for me',
      },
      'append-entries': { fields: ['term'], counters: ['term'], meaning: 'I lead in this term' },
      reply: {
        fields: ['term', 'granted'],
        counters: ['term'],
        meaning: 'this is my term; `granted`: you have my vote in it',
      },
    },
    commands,
    waiting: false,
    properties: heartbeats ? [...properties, settled] : properties,
    history,
    perpetual: heartbeats,
    ...(!heartbeats && {
      cost: {
        per: 'election',
        command: 'elect',
        formula: 'at most 4(n−1)',
        remark: '3(n−1) if one node stands',
        messages: (n: number) => ({ least: 0, most: 4 * (n - 1) }),
      },
    }),
  });
}
