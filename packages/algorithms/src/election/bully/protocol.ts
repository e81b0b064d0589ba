import { defineProtocol, type Protocol, type ProtocolDefinition } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { partShapes } from '../../composition/part.js';
import { watchTimes } from '../../detectors/heartbeat/heartbeat.js';
import { heartbeat } from '../../detectors/heartbeat/protocol.js';
import { timers, validOptions } from '../../options.js';
import { type Command, commands } from '../election.js';
import { bullyOptions, detectingMachine, type Message, machine, type Options } from './bully.js';
import { properties } from './properties.js';

export type { Command, Options };

type Cost = NonNullable<Protocol['cost']>;

/** Of one `elect`. Several nodes that start at once cost no more than one. */
const electionCost: Cost = {
  per: 'election',
  formula: 'n−1 … n²−1',
  messages: (n) => ({ least: n - 1, most: n * n - 1 }),
};

/** Without a command: each node asks all others, and each is answered. */
const startCost: Cost = {
  per: 'run',
  formula: '(2n+1)(n−1)',
  remark: 'if all nodes start at once, and no command follows',
  messages: (n) => ({ least: (2 * n + 1) * (n - 1), most: (2 * n + 1) * (n - 1) }),
};

const messages: ProtocolDefinition<Message, Command>['messages'] = {
  election: {
    fields: ['term'],
    counters: ['term'],
    meaning:
      'asks whether the receiver lives; from a restarted node, also for the term; tells a leader of a later one',
  },
  answer: {
    fields: ['term'],
    counters: ['term'],
    meaning: 'the sender lives, and knows this term',
  },
  coordinator: {
    fields: ['term'],
    counters: ['term'],
    meaning: 'the sender is the leader of this term',
  },
};

/**
 * B1: the bully algorithm of Garcia-Molina.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example bully({ timeout: 500 })
 */
export function bully(options: Options = {}): Protocol<Command> {
  const {
    timeout = 250,
    electAtStart = false,
    detector = false,
    period = 100,
    silence = 200,
  } = validOptions('bully', bullyOptions, options);
  const detecting = heartbeat({ period, timeout: silence });
  const watch = { period, timeout: silence, growth: 0, longest: silence };
  return defineProtocol<Message, Command>({
    id: 'B1',
    name: 'bully',
    title: 'Bully election',
    problem: 'election',
    citation:
      'H. Garcia-Molina: Elections in a Distributed Computing System. IEEE Transactions on Computers C-31:1, 1982',
    topology: needs.complete,
    channels: {
      order: 'any',
      loss: false,
      duplication: false,
      time: { kind: 'exact', delay: [50, 100] },
    },
    tolerates: ['crash', 'restart'],
    succession: {
      bindsFor: 0,
      fields: (kept) => ({ term: Math.max(...kept.map(({ term }) => Number(term))) }),
    },
    roles: {
      node: {
        machine: detector ? detectingMachine : machine,
        input: (self, { nodes }) => {
          const lower = nodes.filter((id) => id < self);
          const higher = nodes.filter((id) => id > self);
          const own = { self, lower, higher, timeout, hasRun: electAtStart, term: 0 };
          return detector
            ? { ...own, detector: { watchers: lower, watched: higher, ...watch } }
            : own;
        },
        stable: ['hasRun', 'term'],
        counters: ['term'],
      },
    },
    options: { timeout, electAtStart, ...(detector ? { detector, period, silence } : {}) },
    times: {
      ...timers({ timeout }),
      ...(detector ? watchTimes('silence', watch) : {}),
    },
    messages: { ...messages, ...(detector ? partShapes('detector', detecting.messages) : {}) },
    commands,
    properties,
    cost: electAtStart ? startCost : electionCost,
    perpetual: detector,
  });
}
