import {
  ConclaveError,
  defineProtocol,
  everyStep,
  interchangeable,
  leadsTo,
  type NodeView,
  type Protocol,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { type Command, commands, fenced, nodesIn, properties, waitsUntilInside } from '../../mutual-exclusion.js';
import {
  type AcknowledgedMessage,
  acknowledgedClient,
  acknowledgingCoordinator,
  client,
  coordinator,
  type Message,
} from './central-coordinator.js';
import { answers, turns } from './properties.js';

export type CentralCoordinatorOptions = {
  /** Whoever has to wait is told so at once, and a coordinator that does not answer is reported. Default false. */
  readonly acknowledge?: boolean;
  /** With `acknowledge`: how long an answer may take, in milliseconds; more than the longest round trip. Default 1000. */
  readonly patience?: number;
};

/** The coordinator counts. */
const fence = ({ context }: NodeView): number => Number(context.entry);

const definition: ProtocolDefinition<Message, Command> = {
  id: 'A1',
  name: 'central-coordinator',
  title: 'Central coordinator',
  problem: 'mutual-exclusion',
  citation: 'Folklore; A. S. Tanenbaum, M. van Steen: Distributed Systems, Principles and Paradigms, 2nd edition, 2007, section 6.3.2',
  topology: needs.star,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    coordinator: { machine: coordinator, input: () => ({}), stable: ['entries'] },
    client: { machine: client, input: (_self, { nodes }) => ({ coordinator: nodes[0] ?? '' }) },
  },
  roleOf: (node, { nodes }) => (node === nodes[0] ? 'coordinator' : 'client'),
  messages: {
    request: { meaning: 'I want to enter' },
    grant: { fields: ['entry'], meaning: 'you may enter; it is the entry with this number' },
    released: { meaning: 'I have left; in the paper RELEASE' },
  },
  commands,
  properties: [...properties, fenced(fence), ...turns],
  fence,
  waitsFor: nodesIn('coordinator'),
  symmetry: ({ nodes }) => interchangeable(nodes.slice(1)),
  cost: { per: 'entry', formula: '3', messages: () => ({ least: 3, most: 3 }) },
};

/** Where a time-out may be a false alarm, this is what is left of liveness. */
const entersOrReports = leadsTo(
  'every node that wants to enter eventually enters, or reports that the coordinator is silent',
  (node) => node.tags.has('waiting'),
  (node) => node.tags.has('critical') || node.tags.has('unserved'),
);

const waitsOrReports = everyStep(
  'a node that waits goes on to do so until it is inside, or reports that the coordinator is silent',
  ({ before: { tags: was }, after: { tags: is } }) => !was.has('waiting') || is.has('waiting') || is.has('critical') || is.has('unserved'),
);

const acknowledged = (patience: number): ProtocolDefinition<AcknowledgedMessage, Command> => ({
  ...definition,
  options: { acknowledge: true, patience },
  roles: {
    coordinator: { machine: acknowledgingCoordinator, input: () => ({}), stable: ['entries'] },
    client: { machine: acknowledgedClient, input: (_self, { nodes }) => ({ coordinator: nodes[0] ?? '', patience }) },
  },
  messages: {
    ...definition.messages,
    queued: { meaning: 'I am here, and you stand in the queue' },
    inquire: { meaning: 'are you still there?' },
  },
  properties: [
    ...definition.properties.map((property) =>
      property.kind === 'leadsTo' ? entersOrReports : property === waitsUntilInside ? waitsOrReports : property,
    ),
    ...answers,
  ],
  cost: {
    per: 'entry',
    formula: '3, 1 more in the queue, 2 more for each `patience` there',
    messages: () => ({ least: 3, most: Infinity }),
  },
});

/**
 * A1: a coordinator in the middle of a star, the network's first node, lets in the others. It never wishes anything itself.
 *
 * @throws {ConclaveError} `bad-input` for a patience that is no time.
 * @example centralCoordinator({ acknowledge: true })
 */
export function centralCoordinator({
  acknowledge = false,
  patience = 1000,
}: CentralCoordinatorOptions = {}): Protocol<AcknowledgedMessage, Command> {
  if (!(patience > 0 && patience < Infinity))
    throw new ConclaveError('bad-input', `central-coordinator: patience ${patience} is no time`, 'Give milliseconds, more than 0.');
  return acknowledge ? defineProtocol(acknowledged(patience)) : defineProtocol(definition);
}
