import { defineProtocol, type Json, type Protocol } from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import { lamportClock, vectorClock } from '../clock.js';
import { causalHistory, lamportLaws, steps, vectorLaws } from '../logical-time.js';
import {
  type Command,
  logicalClockOptions,
  type Message,
  machineWith,
  type Options,
} from './logical-clock.js';

export type { Command, Options };

const kinds = {
  lamport: { machine: machineWith(lamportClock), laws: lamportLaws, each: '' },
  vector: { machine: machineWith(vectorClock), laws: vectorLaws, each: '.*' },
} as const;

/**
 * C1: logical clocks.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example logicalClock({ clock: 'vector' })
 */
export function logicalClock(options: Options = {}): Protocol<Command> {
  const { clock = 'lamport' } = validOptions('logicalClock', logicalClockOptions, options);
  const kind = kinds[clock];
  return defineProtocol<Message, Command>({
    id: 'C1',
    name: 'logical-clock',
    title: 'Logical clocks',
    problem: 'logical-time',
    citation:
      'L. Lamport: Time, Clocks, and the Ordering of Events in a Distributed System. CACM 21:7, 1978, 558–565; F. Mattern: Virtual Time and Global States of Distributed Systems. Parallel and Distributed Algorithms, 1989, 215–226',
    options: { clock } satisfies Record<string, Json>,
    topology: needs.connected,
    channels: { order: 'any', loss: true, duplication: true },
    roles: {
      node: {
        machine: kind.machine,
        input: (self, topology) => ({ self, neighbours: topology.successors(self) }),
        stable: ['clock'],
        counters: [`clock${kind.each}`],
      },
    },
    messages: {
      message: {
        fields: ['ts'],
        counters: [`ts${kind.each}`],
        meaning: 'anything; `ts` is the time stamp of the event that sent it',
      },
    },
    commands: {
      send: { kind: 'optional', meaning: 'the node sends a message to each neighbour' },
      act: { kind: 'optional', meaning: 'an event happens that concerns this node only' },
    },
    properties: [...kind.laws, ...steps],
    history: causalHistory,
    waiting: false,
  });
}
