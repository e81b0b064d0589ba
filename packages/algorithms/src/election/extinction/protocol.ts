import { defineProtocol, type Protocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import { type Command, commands, decision } from '../election.js';
import { type Message, machine, terminatingMachine } from './extinction.js';
import { extinctionOptions, type Options } from './options.js';
import { ofFlooding, ofWaves } from './properties.js';

export type { Command, Options };

/** Of e edges, in a network of n nodes that has the most, or of `topology`. */
const edgesOf = (n: number, topology?: { readonly links: readonly unknown[] }) =>
  topology ? topology.links.length / 2 : (n * (n - 1)) / 2;
const fewest = (n: number, topology?: { readonly links: readonly unknown[] }) =>
  topology ? topology.links.length / 2 : n - 1;

/**
 * B12: election by extinction of messages. Without `terminating` no node learns that the election
 * is over: see README.md.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example extinction({ terminating: true })
 */
export function extinction(options: Options = {}): Protocol<Command> {
  const { terminating = false } = validOptions('extinction', extinctionOptions, options);
  return defineProtocol<Extract<Message, { type: 'explorer' }>, Command>({
    id: 'B12',
    name: 'extinction',
    title: 'Extinction by flooding',
    problem: 'election',
    citation:
      'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000, election with message extinction; G. Tel: Introduction to Distributed Algorithms. Cambridge University Press, 2nd edition, 2000, section 7.3',
    options: terminating ? { terminating } : {},
    topology: needs.connected,
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: terminating ? terminatingMachine : machine,
        input: (self, topology) => ({ self, neighbours: topology.successors(self) }),
      },
    },
    messages: {
      explorer: { fields: ['id'], meaning: 'node `id` is a candidate' },
      ...(terminating && {
        echo: {
          fields: ['id'],
          meaning: 'all nodes behind the sender have been reached by candidate `id`',
        },
        elected: { fields: ['id'], meaning: 'node `id` is the leader' },
      }),
    },
    commands,
    properties: terminating ? [...decision, ...ofWaves] : ofFlooding,
    ...(terminating ? {} : { waiting: false as const }),
    cost: terminating
      ? {
          per: 'election',
          formula: 'at most 2ke + n − 1',
          remark: 'where k nodes start',
          messages: (n, topology) => ({
            least: 2 * fewest(n, topology) + n - 1,
            most: 2 * n * edgesOf(n, topology) + n - 1,
          }),
        }
      : {
          per: 'election',
          formula: 'at most k(2e − n + 1)',
          remark: 'where k nodes start',
          messages: (n, topology) => ({
            least: 2 * fewest(n, topology) - n + 1,
            most: n * (2 * edgesOf(n, topology) - n + 1),
          }),
        },
  });
}
