import {
  defineProtocol,
  type NodeId,
  type Protocol,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { partShapes } from '../../composition/part.js';
import { validOptions } from '../../options.js';
import { watchTimes } from '../heartbeat/heartbeat.js';
import { heartbeat } from '../heartbeat/protocol.js';
import { detectingMachine } from './detecting.js';
import type { Command, Message } from './member.js';
import { machine, membershipOptions, type Options } from './membership.js';
import { membershipHistory, properties, totalOrder } from './properties.js';

export type { Command, Options };

const messages = {
  'join-request': {
    fields: ['attempt'],
    counters: ['attempt'],
    meaning: 'I want to be a member; how often I have asked',
  },
  'leave-request': {
    fields: ['view'],
    counters: ['view'],
    meaning: 'I do not want to be a member after this view',
  },
  submit: {
    fields: ['view', 'sequence', 'data'],
    counters: ['view', 'sequence'],
    meaning: 'send this message of mine to all',
  },
  message: {
    fields: ['view', 'position', 'origin', 'sequence', 'data', 'stable'],
    counters: ['view', 'position', 'sequence', 'stable'],
    meaning:
      'message `position` of my stream: message `sequence` of `origin`; all members have mine up to `stable`',
  },
  acknowledge: {
    fields: ['view', 'position'],
    counters: ['view', 'position'],
    meaning: 'I have your messages up to this one',
  },
  flush: {
    fields: ['view', 'newcomers'],
    counters: ['view', 'newcomers.*'],
    meaning:
      'stop sending in this view, and tell me what you have; the attempts by which these nodes joined, or may join the next view',
  },
  flushed: {
    fields: ['view', 'attempt', 'entries', 'pending'],
    counters: ['view', 'attempt', 'entries.*.sequence', 'entries.*.position', 'pending.*.sequence'],
    meaning:
      'my view, or 0 and my attempt to join; the messages that others may lack; those of mine that the sequencer has not sent',
  },
  'new-view': {
    fields: ['number', 'members', 'admitted', 'entries', 'by'],
    counters: ['number', 'admitted.*', 'entries.*.sequence', 'entries.*.position'],
    meaning: 'deliver what you lack of `entries`; then the next view begins',
  },
  welcome: {
    fields: ['state', 'number', 'members', 'admitted', 'entries', 'by'],
    counters: ['number', 'admitted.*', 'entries.*.sequence', 'entries.*.position'],
    meaning: 'you are a newcomer of this view; the state of the application as it begins',
  },
} as const;

/** With the detector. */
const present = {
  fields: ['view', 'members'],
  counters: ['view'],
  meaning: 'the view that I am in, and its members; 0: none',
} as const;

const commands: ProtocolDefinition<Message, Command>['commands'] = {
  multicast: {
    kind: 'optional',
    fields: ['data'],
    meaning: 'sends `data` to all members',
    examples: [{ data: 'x' }, { data: 'y' }],
    when: ({ tags }) => tags.has('member'),
  },
  join: {
    kind: 'optional',
    meaning: 'the node wants to become a member',
    when: ({ tags }) => tags.has('outside'),
  },
  leave: {
    kind: 'optional',
    meaning: 'the node wants to leave the group',
    when: ({ tags, context, id }) => tags.has('member') && ![context.leaving].flat().includes(id),
  },
  snapshot: {
    kind: 'obligatory',
    fields: ['state'],
    meaning: 'the state of the application, for newcomers; asked for by `snapshot-wanted`',
    examples: [{ state: 's' }],
    when: ({ tags }) => tags.has('handover'),
  },
};

/** What is given to the detector of a node, and how long the node waits for an answer. */
const detectorOf = (peers: readonly NodeId[], watch: Parameters<typeof watchTimes>[1]) => ({
  detector: { watchers: peers, watched: peers, ...watch },
  patience: 10 * watch.timeout,
});

/**
 * C5: group membership with views and virtual synchrony.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example membership({ order: 'fifo', founders: 2 })
 */
export function membership(options: Options = {}): Protocol<Command> {
  const {
    order = 'total',
    founders,
    window = 16,
    stateTransfer = false,
    detector = false,
    period = 100,
    silence = 200,
  } = validOptions('membership', membershipOptions, options);
  const detecting = heartbeat({ period, timeout: silence });
  const watch = { period, timeout: silence, growth: 0, longest: silence };
  return defineProtocol<Message, Command>({
    id: 'C5',
    name: 'membership',
    title: 'Group membership',
    problem: 'group-membership',
    citation:
      'K. P. Birman, T. A. Joseph: Exploiting Virtual Synchrony in Distributed Systems. SOSP 1987, 123–138; the properties: G. V. Chockler, I. Keidar, R. Vitenberg: Group Communication Specifications: A Comprehensive Study. ACM Computing Surveys 33:4, 2001',
    topology: needs.complete,
    channels: {
      order: 'fifo',
      loss: false,
      duplication: false,
      ...(detector ? { time: { kind: 'exact', delay: [50, 100] } } : {}),
    },
    roles: {
      node: {
        machine: detector ? detectingMachine : machine,
        input: (self, { nodes }) => {
          const ids = [...nodes].sort();
          const peers = ids.filter((id) => id !== self);
          return {
            ...{ self, peers, founders: ids.slice(0, founders) },
            ...(detector && detectorOf(peers, watch)),
            ...{ order, window, stateTransfer, starts: 0, attempt: 0, sequence: 0 },
          };
        },
        stable: ['starts', 'attempt', 'sequence'],
        counters: ['starts', 'attempt', 'sequence'],
      },
    },
    ...(detector ? { times: watchTimes('silence', watch) } : { crashNotice: 'down' }),
    options: {
      order,
      window,
      ...(detector ? { detector, period, silence } : {}),
      ...(stateTransfer ? { stateTransfer } : {}),
      ...(founders === undefined ? {} : { founders }),
    },
    messages: {
      ...messages,
      ...(detector
        ? { present, ...partShapes('detector', detecting.messages) }
        : { down: { meaning: 'from the network: the sender has crashed' } }),
    },
    commands,
    perpetual: detector,
    properties: order === 'total' ? [totalOrder, ...properties] : properties,
    history: membershipHistory(founders),
    cost: {
      per: 'multicast',
      command: 'multicast',
      formula: order === 'total' ? 'n−1 … n' : 'n−1',
      remark: '(n−1)/`window` acknowledgements more',
      messages: (n) => ({ least: n - 1, most: (order === 'total' ? n : n - 1) + (n - 1) / window }),
    },
  });
}
