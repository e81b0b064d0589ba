import { ConclaveError, defineProtocol, type NodeId, type Protocol } from '@conclave/core/protocol';
import { needs, type Topology } from '@conclave/core/topology';
import { type Command, commands } from '../election.js';
import { type Message, machine } from './bully.js';
import { properties } from './properties.js';

type BullyOptions = {
  /** How long, in milliseconds, a node waits for an answer: longer than the longest round trip. Default 1000. */
  readonly timeout?: number;
  /** Whether a node holds an election as it starts for the first time, too. Default false: it waits for `elect` or a message. */
  readonly electAtStart?: boolean;
};

const others = ({ nodes }: Topology, isIn: (id: NodeId) => boolean): NodeId[] => nodes.filter(isIn);

/**
 * B1: the bully algorithm of Garcia-Molina.
 *
 * @throws {ConclaveError} `bad-input` for a `timeout` that is no time.
 * @example bully({ timeout: 500 })
 */
export function bully({ timeout = 1000, electAtStart = false }: BullyOptions = {}): Protocol<Message, Command> {
  if (!(timeout > 0 && timeout < Infinity))
    throw new ConclaveError('bad-input', `bully: timeout ${timeout} is no time`, 'Give milliseconds, more than 0.');
  return defineProtocol<Message, Command>({
    id: 'B1',
    name: 'bully',
    title: 'Bully election',
    problem: 'election',
    citation: 'H. Garcia-Molina: Elections in a Distributed Computing System. IEEE Transactions on Computers C-31:1, 1982',
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: false, time: 'bounded' },
    roles: {
      node: {
        machine,
        input: (self, topology) => ({
          self,
          lower: others(topology, (id) => id < self),
          higher: others(topology, (id) => id > self),
          timeout,
          hasRun: electAtStart,
          term: 0,
        }),
        stable: ['hasRun', 'term'],
      },
    },
    options: { timeout, electAtStart },
    messages: {
      election: { fields: ['term'], meaning: 'asks whether the receiver lives; from a restarted node, also for the term' },
      answer: { fields: ['term'], meaning: 'the sender lives, and knows this term' },
      coordinator: { fields: ['term'], meaning: 'the sender is the leader of this term' },
    },
    commands,
    properties,
    cost: {
      per: 'election',
      formula: 'n−1 … n²−1',
      messages: (n) => ({ least: n - 1, most: n * n - 1 }),
    },
  });
}
