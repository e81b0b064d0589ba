import { linkOptions } from '../../options/channel.js';
import { defineProtocol } from '../../protocol/define-protocol.js';
import type { Protocol } from '../../protocol/protocol.js';
import { checkOptions } from '../../schema/check.js';
import { complete } from '../../topology/generators.js';
import type { TopologyNeed } from '../../topology/needs.js';
import { completeOver } from '../../topology/overlay.js';
import { type Frame, type LinkCommand, machine } from './link.js';
import { linkProperties } from './properties.js';

/** Exactly two nodes, linked both ways. */
const pair: TopologyNeed = {
  name: 'two-node',
  refuses: ({ nodes, links }) =>
    nodes.length === 2 && links.length === 2
      ? undefined
      : `there are ${nodes.length} nodes and ${links.length} links`,
  example: () => complete(2),
  overlay: completeOver,
};

/**
 * A reliable link as a protocol of its own: two ends, over a channel that may lose, repeat and
 * reorder.
 *
 * @throws {ConclaveError} `bad-input` for an option that makes no sense.
 */
export function reliableLink(
  options: {
    /** Larger at each start of this end than at any earlier one; a whole number. Default 0. */
    readonly incarnation?: number;
    /** How long to wait for an acknowledgement, in milliseconds. Default 200. */
    readonly retransmitAfter?: number;
    /** How many payloads may be sent and not yet acknowledged. Default 32. */
    readonly window?: number;
  } = {},
): Protocol {
  checkOptions('The reliable link', linkOptions, options);
  const { incarnation = 0, retransmitAfter = 200, window = 32 } = options;
  return defineProtocol<Frame, LinkCommand>({
    name: 'reliable-link',
    title: 'Reliable link',
    problem: 'reliable-link',
    citation:
      'N. V. Stenning, A data transfer protocol, Computer Networks 1:2 (1976) 99–110; with incarnations',
    options: { incarnation, retransmitAfter, window },
    topology: pair,
    channels: { order: 'any', loss: true, duplication: true },
    roles: {
      end: {
        machine,
        input: (self, { nodes }) => ({
          peer: nodes.find((id) => id !== self) ?? self,
          incarnation,
          retransmitAfter,
          window,
        }),
        stable: ['incarnation'],
        counters: ['incarnation'],
      },
    },
    messages: {
      data: {
        fields: ['incarnation', 'addressed', 'seq', 'payload'],
        counters: ['incarnation', 'addressed', 'seq'],
        meaning: 'payload number seq, from this incarnation to that one',
      },
      ack: {
        fields: ['incarnation', 'addressed', 'next'],
        counters: ['incarnation', 'addressed', 'next'],
        meaning: 'all before number next have arrived',
      },
    },
    commands: {
      transmit: {
        fields: ['payload'],
        kind: 'optional',
        meaning: 'carry payload to the other end',
        when: () => true,
      },
    },
    properties: linkProperties,
  });
}
