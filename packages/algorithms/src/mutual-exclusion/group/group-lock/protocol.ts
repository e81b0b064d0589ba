import {
  always,
  defineProtocol,
  everyStep,
  type FencedProtocol,
  type Message,
  type NodeId,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import { overGroup } from '../../../composition/part.js';
import { membership } from '../../../detectors/membership/protocol.js';
import { validOptions } from '../../../options.js';
import {
  type Command,
  commands,
  properties,
  queuedIn,
  tokensGrow,
} from '../../mutual-exclusion.js';
import { groupLockOptions, machine, type Options } from './group-lock.js';

export type { Command, Options };

const queueOf = ({
  context,
}: NodeView): readonly { readonly node: NodeId; readonly ticket: number }[] =>
  [context.queue].flat().map((request) => Object(request));

const groupOf = ({
  context,
}: NodeView): { readonly number: number; readonly members: readonly NodeId[] } =>
  Object(context.group);

const liveNodes = ({ nodes }: SystemView): readonly NodeView[] =>
  nodes.filter(({ crashed }) => !crashed);

/** What the rules say, beyond mutual exclusion. */
const rules: readonly Property[] = [
  everyStep(
    'a node multicasts exactly when it requests entry or releases',
    ({ cause, before, after }) => {
      const isCommand = cause.kind === 'command';
      return (
        Number(Object(after.context.group).sequence) ===
        Number(Object(before.context.group).sequence) + (isCommand ? 1 : 0)
      );
    },
  ),
  always('no queue of a view has a request of a node that left the view', (system) =>
    liveNodes(system).every((node) =>
      queueOf(node).every(({ node: id }) => groupOf(node).members.includes(id)),
    ),
  ),
  always('each node has at most one request in a queue', (system) =>
    liveNodes(system).every(
      (node) => new Set(queueOf(node).map(({ node: id }) => id)).size === queueOf(node).length,
    ),
  ),
  always(
    'a request has the same place in the order of all requests at each node that has it',
    (system) => {
      const nodeOf = new Map<number, NodeId>();
      return liveNodes(system).every((node) =>
        queueOf(node).every(({ node: id, ticket }) => {
          const known = nodeOf.get(ticket) ?? id;
          nodeOf.set(ticket, known);
          return known === id;
        }),
      );
    },
  ),
];

/**
 * Entries of one view are in the order of their tickets; a later view counts more, since members
 * that crashed may have used the same tickets for requests that no other one got.
 */
const fence = ({ context }: NodeView): number =>
  Object(context.group).number * 2 ** 32 + firstTicket(context.queue);

/**
 * Those whose requests come first; until its own one is in order, also the sequencer of the group.
 */
function nodesAwaited({ id, context }: NodeView): readonly NodeId[] {
  const queue = [context.queue].flat().map((request) => String(Object(request).node));
  const [sequencer] = [Object(context.group).members].flat();
  return queue.includes(id)
    ? queue.slice(0, queue.indexOf(id))
    : [...new Set([String(sequencer), ...queue])];
}

const firstTicket = (queue: unknown): number => Object([queue].flat()[0]).ticket ?? 0;

/**
 * A18: a lock over a group. It outlives the crash of any members, also of the one in its critical
 * section.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example groupLock({ window: 64 })
 */
export function groupLock(options: Options = {}): FencedProtocol<Command> {
  const { window = 16 } = validOptions('groupLock', groupLockOptions, options);
  return defineProtocol<Message, Command>({
    id: 'A18',
    name: 'group-lock',
    title: 'Lock over a group',
    problem: 'mutual-exclusion',
    citation:
      'F. B. Schneider: Implementing Fault-Tolerant Services Using the State Machine Approach. ACM Computing Surveys 22:4, 1990; over the group of K. P. Birman, T. A. Joseph: Exploiting Virtual Synchrony in Distributed Systems. SOSP 1987',
    ...overGroup(membership({ window }), machine),
    options: { window },
    tolerates: ['crash'],
    commands,
    properties: [...properties, tokensGrow(fence), ...rules],
    fence,
    waitsFor: nodesAwaited,
    contenders: queuedIn('node'),
    fenceCondition: 'as long as all messages of a crashed node arrive',
    cost: {
      per: 'entry',
      formula: `2(n−1) … 2n + 2(n−1)/${window}`,
      messages: (n) => ({ least: 2 * (n - 1), most: 2 * n + (2 * (n - 1)) / window }),
    },
  });
}
