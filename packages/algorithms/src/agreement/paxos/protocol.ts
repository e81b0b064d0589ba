import { defineProtocol, type Protocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import {
  acceptorMachine,
  type Command,
  type Message,
  type Options,
  paxosOptions,
  proposerMachine,
} from './paxos.js';
import { history, properties } from './properties.js';

export type { Command, Options };

/** A complete network with at least one acceptor. */
const withAcceptors = (proposers: number): Protocol['topology'] => ({
  ...needs.complete,
  refuses: (topology) =>
    needs.complete.refuses(topology) ??
    (topology.nodes.length > proposers
      ? undefined
      : `its ${topology.nodes.length} nodes are proposers, and none is an acceptor`),
  example: (n) => complete(Math.max(n, proposers + 1)),
});

/**
 * E6: Paxos, one decree.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example paxos({ proposers: 3 })
 */
export function paxos(options: Options = {}): Protocol<Command> {
  const { proposers = 2 } = validOptions('paxos', paxosOptions, options);
  return defineProtocol<Message, Command>({
    id: 'E6',
    name: 'paxos',
    title: 'Paxos of one decree',
    problem: 'consensus',
    citation:
      'L. Lamport: The Part-Time Parliament. ACM TOCS 16:2, 1998, 133–169; L. Lamport: Paxos Made Simple. ACM SIGACT News 32:4, 2001, 51–58',
    options: { proposers },
    topology: withAcceptors(proposers),
    channels: { order: 'any', loss: true, duplication: true },
    tolerates: ['crash', 'restart'],
    roles: {
      proposer: {
        machine: proposerMachine,
        input: (self, { nodes }) => {
          const all = nodes.slice(0, proposers);
          return {
            acceptors: nodes.slice(proposers),
            others: all.filter((id) => id !== self),
            ballot: nodes.indexOf(self),
            step: proposers,
          };
        },
        stable: ['ballot'],
        counters: ['ballot'],
      },
      acceptor: {
        machine: acceptorMachine,
        input: () => ({ promised: 0, accepted: null }),
        stable: ['promised', 'accepted'],
        counters: ['promised', 'accepted.ballot'],
      },
    },
    roleOf: (id, { nodes }) => (nodes.indexOf(id) < proposers ? 'proposer' : 'acceptor'),
    messages: {
      prepare: {
        fields: ['ballot'],
        counters: ['ballot'],
        meaning: 'promise to accept nothing of an earlier ballot',
      },
      promise: {
        fields: ['ballot', 'accepted'],
        counters: ['ballot', 'accepted.ballot'],
        meaning: 'I promise it; this is what I have accepted last',
      },
      accept: {
        fields: ['ballot', 'value'],
        counters: ['ballot'],
        meaning: 'accept this value',
      },
      accepted: { fields: ['ballot'], counters: ['ballot'], meaning: 'I have accepted it' },
      learned: { fields: ['value'], meaning: 'this value is chosen' },
    },
    commands: {
      propose: {
        kind: 'optional',
        fields: ['value'],
        examples: [{ value: 'x' }, { value: 'y' }],
        meaning: 'the application proposes a value, in a new ballot',
        when: ({ role }) => role === 'proposer',
      },
    },
    waiting: false,
    properties,
    history,
    cost: {
      per: 'ballot',
      command: 'propose',
      formula: 'at most 4a + p − 1',
      remark: 'for p proposers and a acceptors',
      messages: (n) => ({ least: 0, most: 4 * (n - proposers) + proposers - 1 }),
    },
  });
}
