import type { FencedProtocol, NodeView, ProtocolDefinition } from '@conclave/core/protocol';
import { ringWith } from '../../../named-node.js';
import { timers, validOptions } from '../../../options.js';
import { type CancellableCommand, defineLock } from '../../cancel.js';
import { type Command, commands, previousNode, propertiesWith } from '../../mutual-exclusion.js';
import { nothingTwice, onlyToNext } from '../building-blocks/token-steps.js';
import {
  candidacyRules,
  oneCoordinator,
  onePerEpoch,
  oneTokenPerEpoch,
  regenerationRules,
} from './properties.js';
import {
  cancellableElectingMachine,
  cancellableMachine,
  type ElectionMessage,
  electingMachine,
  type Message,
  machine,
  type Options,
  type RingMessage,
  regeneratedTokenOptions,
} from './regenerated-token.js';

export type { CancellableCommand, Command, Options };

const fence = ({ context }: NodeView): number => Number(context.fence);

const definition: Omit<ProtocolDefinition<RingMessage, Command>, 'topology' | 'roles'> = {
  id: 'A14',
  name: 'regenerated-token',
  title: 'Loss and regeneration of the token',
  problem: 'mutual-exclusion',
  citation:
    'G. Le Lann: Distributed Systems, Towards a Formal Approach. IFIP Congress 1977, Toronto, pp. 155–160; F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000',
  channels: { order: 'any', loss: true, duplication: false },
  tolerates: ['crash', 'restart'],
  messages: {
    token: {
      fields: ['epoch', 'entries'],
      counters: ['epoch', 'entries'],
      meaning: 'the receiver may enter; `entries` so far in its epoch',
    },
    inquiry: { meaning: 'returns to the coordinator unless a node is in its critical section' },
  },
  commands,
  properties: [
    ...propertiesWith(onePerEpoch),
    oneTokenPerEpoch,
    oneCoordinator,
    ...regenerationRules,
    nothingTwice,
    onlyToNext,
  ],
  fence,
  waitsFor: previousNode,
  fenceCondition:
    'while no time-out ends before the longest stay and the slowest message: two tokens may live at once otherwise',
  cost: { per: 'entry', formula: '1 … ∞', messages: () => ({ least: 1, most: Infinity }) },
  perpetual: true,
};

const electionMessages: ProtocolDefinition<ElectionMessage, Command>['messages'] = {
  'election-election': { fields: ['id'], meaning: 'of the election: node `id` is a candidate' },
  'election-elected': { fields: ['id'], meaning: 'of the election: node `id` is the leader' },
};

/**
 * A14: the token ring with a coordinator that makes a new token when it has not seen one for too
 * long.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example regeneratedToken({ coordinator: 'a', timeout: 500 })
 */
export function regeneratedToken(options: Options = {}): FencedProtocol<CancellableCommand> {
  const {
    coordinator,
    timeout = 1000,
    blindRegenerations = 1,
    cancel = false,
  } = validOptions('regeneratedToken', regeneratedTokenOptions, options);
  const told = { timeout, blindRegenerations };
  const times = timers({ timeout });
  const channels = {
    ...definition.channels,
    time: { kind: 'exact', delay: [0, timeout / 10] },
  } as const;
  const stored = { stable: ['coordinator', 'seen'], counters: ['seen'] };
  if (coordinator === undefined)
    return defineLock<Message>(
      {
        ...definition,
        channels,
        times,
        properties: [...definition.properties, ...candidacyRules],
        options: told,
        topology: ringWith('coordinator', undefined),
        roles: {
          node: {
            machine: electingMachine,
            input: (self, topology) => {
              const next = topology.at(self, 'next') ?? self;
              return { self, next, coordinator: false, seen: 0, ...told, election: { self, next } };
            },
            ...stored,
          },
        },
        messages: { ...definition.messages, ...electionMessages },
      },
      cancel,
      cancellableElectingMachine,
    );
  return defineLock<RingMessage>(
    {
      ...definition,
      channels,
      times,
      options: { coordinator, ...told },
      topology: ringWith('coordinator', coordinator),
      roles: {
        node: {
          machine,
          input: (self, topology) => ({
            self,
            next: topology.at(self, 'next') ?? self,
            coordinator: self === coordinator,
            seen: 0,
            ...told,
          }),
          ...stored,
        },
      },
    },
    cancel,
    cancellableMachine,
  );
}
