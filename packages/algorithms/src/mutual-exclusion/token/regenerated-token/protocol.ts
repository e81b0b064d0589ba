import {
  always,
  ConclaveError,
  defineProtocol,
  type NodeId,
  type NodeView,
  type Property,
  type Protocol,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import { type Command, commands, propertiesWith } from '../../mutual-exclusion.js';
import { ringWith } from '../building-blocks/one-token.js';
import { nothingTwice, onlyToNext } from '../building-blocks/token-steps.js';
import { candidacyRules, regenerationRules } from './properties.js';
import { electingMachine, epochOf, type Message, machine, type RingMessage } from './regenerated-token.js';

export type RegeneratedTokenOptions = {
  /** Who makes tokens. Default: whom the nodes elect. */
  readonly coordinator?: NodeId;
  /** How long, in milliseconds, the coordinator waits for the token: more than its longest round, stays included. Default 1000. */
  readonly patience?: number;
  /** How many tokens in a row the coordinator makes before it inquires whether somebody is inside. Default 1; 0: it always inquires. */
  readonly guesses?: number;
};

const fence = ({ context }: NodeView): number => Number(context.fence);

const areDifferent = (values: readonly number[]): boolean => new Set(values).size === values.length;

/** What is left of mutual exclusion where a time-out may be a false alarm. */
export const onePerEpoch: Property = always(
  'of each epoch, at most one node is in the critical section',
  (system) => system.count('critical') <= 1 || areDifferent(system.tagged('critical').map((node) => epochOf(fence(node)))),
);

/** What is left of the one token. */
export const oneTokenPerEpoch: Property = always('of each epoch there is at most one token, in a node or on its way', (system) =>
  areDifferent([
    ...system.tagged('token').map(({ context }) => Number(context.seen)),
    ...system.inFlight('token').map(({ message }) => ('epoch' in message ? Number(message.epoch) : 0)),
  ]),
);

/** That is why the tokens of one epoch are one. */
export const oneCoordinator: Property = always('at most one node makes tokens, and nobody knows a later epoch than it does', (system) => {
  const [coordinator, ...others] = system.tagged('coordinator');
  if (!coordinator) return true;
  return others.length === 0 && system.nodes.every(({ context }) => Number(context.seen) <= Number(coordinator.context.seen));
});

const definition: Omit<ProtocolDefinition<RingMessage, Command>, 'topology' | 'roles'> = {
  id: 'A14',
  name: 'regenerated-token',
  title: 'Loss and regeneration of the token',
  problem: 'mutual-exclusion',
  citation:
    'G. Le Lann: Distributed Systems, Towards a Formal Approach. IFIP Congress 1977, Toronto, pp. 155–160; F. Mattern: Verteilte Algorithmen. Lecture notes, TU Darmstadt 1999/2000: how is the loss noticed, and who may make a new token?',
  channels: { order: 'any', loss: true, duplication: false, time: 'bounded' },
  messages: {
    token: { fields: ['epoch', 'entries'], meaning: 'whoever has it may enter; in its epoch so many have' },
    inquiry: { meaning: 'is nobody inside? Then this comes back' },
  },
  commands,
  properties: [...propertiesWith(onePerEpoch), oneTokenPerEpoch, oneCoordinator, ...regenerationRules, nothingTwice, onlyToNext],
  fence,
  fenceCondition: 'while no time-out ends before the longest stay and the slowest message: two tokens may live at once otherwise',
  cost: { per: 'entry', formula: '1 … ∞', messages: () => ({ least: 1, most: Infinity }) },
  perpetual: true,
};

/**
 * A14: the token ring with a coordinator that makes a new token when none has come by for too long.
 *
 * @throws {ConclaveError} `bad-input` for a patience that is no time, and guesses that are no count.
 * @example regeneratedToken({ coordinator: 'a', patience: 500 })
 */
export function regeneratedToken({ coordinator, patience = 1000, guesses = 1 }: RegeneratedTokenOptions = {}): Protocol<Message, Command> {
  if (!(patience > 0 && patience < Infinity))
    throw new ConclaveError('bad-input', `regenerated-token: patience ${patience} is no time`, 'Give milliseconds, more than 0.');
  if (!Number.isSafeInteger(guesses) || guesses < 0)
    throw new ConclaveError('bad-input', `regenerated-token: guesses ${guesses} is no count`, 'Give a whole number, 0 or more.');
  const told = { patience, guesses };
  const stable = ['coordinator', 'seen'];
  if (coordinator === undefined)
    return defineProtocol<Message, Command>({
      ...definition,
      properties: [...definition.properties, ...candidacyRules],
      options: told,
      topology: ringWith(undefined),
      roles: {
        node: {
          machine: electingMachine,
          input: (self, topology) => {
            const next = topology.at(self, 'next') ?? self;
            return { self, next, coordinator: false, seen: 0, ...told, election: { self, next } };
          },
          stable,
        },
      },
      messages: {
        ...definition.messages,
        'election-election': { fields: ['id'], meaning: 'of the election: node `id` is a candidate' },
        'election-elected': { fields: ['id'], meaning: 'of the election: node `id` is the leader' },
      },
    });
  return defineProtocol<RingMessage, Command>({
    ...definition,
    options: { coordinator, ...told },
    topology: ringWith(coordinator),
    roles: {
      node: {
        machine,
        input: (self, topology) => ({ self, next: topology.at(self, 'next') ?? self, coordinator: self === coordinator, seen: 0, ...told }),
        stable,
      },
    },
  });
}
