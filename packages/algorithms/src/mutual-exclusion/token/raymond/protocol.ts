import { shortestPaths } from '@conclave/core/internal';
import type { FencedProtocol, NodeId, ProtocolDefinition } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { AnyStateMachine } from 'xstate';
import { treeWith, validOptions } from '../../../options.js';
import { type CancellableCommand, defineLock } from '../../cancel.js';
import { type Command, commands, nodesIn, properties, tokensGrow } from '../../mutual-exclusion.js';
import { bunchRules, favoursIn, queuesOthers } from '../building-blocks/greedy.js';
import {
  countsEntries,
  entriesSoFar,
  inTurn,
  nothingTwice,
  oneTokenIn,
  queuesEachOnce,
  requestsForItsQueue,
} from '../building-blocks/token.js';
import {
  cancellableMachine,
  cancellablePiggybackMachine,
  greedyMachine,
  type Message,
  machine,
  type Options,
  piggybackMachine,
  raymondOptions,
} from './raymond.js';

export type { CancellableCommand, Command, Options };

type Plain = Exclude<Message, { type: 'token-and-request' }>;

const messages: ProtocolDefinition<Plain, Command>['messages'] = {
  request: { meaning: 'the sender, or a node behind it, wants the token' },
  token: {
    fields: ['entries'],
    counters: ['entries'],
    meaning: 'the receiver may enter or pass it on; `entries`: the number of entries so far',
  },
};
const tokenAndRequest = {
  fields: ['entries'],
  counters: ['entries'],
  meaning: 'a token, and a request of the sender to get it back',
};

/**
 * A7: van de Snepscheut's and Raymond's algorithm.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example raymond({ piggyback: true, greedy: 2 })
 */
export function raymond(options: Options = {}): FencedProtocol<CancellableCommand> {
  const {
    piggyback = false,
    greedy = 0,
    holder,
    cancel = false,
  } = validOptions('raymond', raymondOptions, options);
  const greedily = (chart: AnyStateMachine) => (greedy > 0 ? greedyMachine(chart) : chart);
  const definition: ProtocolDefinition<Plain, Command> = {
    id: 'A7',
    name: 'raymond',
    title: 'Raymond / van de Snepscheut',
    problem: 'mutual-exclusion',
    citation:
      'J. L. A. van de Snepscheut: Fair Mutual Exclusion on a Graph of Processes. Distributed Computing 2, 1987; K. Raymond: A Tree-Based Algorithm for Distributed Mutual Exclusion. ACM TOCS 7:1, 1989',
    options: {
      ...(piggyback ? { piggyback } : {}),
      ...(greedy > 0 ? { greedy } : {}),
      ...(holder === undefined ? {} : { holder }),
    },
    topology: treeWith('holder', holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: greedily(piggyback ? piggybackMachine : machine),
        input: (self, topology) => ({
          self,
          holder: towardsHolder(topology, holder).get(self) ?? self,
          greedy,
        }),
      },
    },
    messages: { ...messages, ...(piggyback && { 'token-and-request': tokenAndRequest }) },
    commands,
    properties: [
      ...properties,
      oneTokenIn('token', ...(piggyback ? ['token-and-request'] : [])),
      tokensGrow(entriesSoFar),
      countsEntries(entriesSoFar),
      queuesEachOnce,
      requestsForItsQueue,
      inTurn(({ context }) => Number(context.favours) < greedy),
      favoursIn(greedy),
      ...(greedy > 0 ? bunchRules(greedy, queuesOthers) : []),
      nothingTwice,
    ],
    fence: entriesSoFar,
    waitsFor: nodesIn('holder'),
    cost: {
      per: 'entry',
      formula: 'O(log_k n)',
      remark: 'on average; about 4 under heavy load',
      messages: (n) => ({ least: 0, most: 4 * (n - 1) }),
    },
  };
  return defineLock(
    definition,
    cancel,
    greedily(piggyback ? cancellablePiggybackMachine : cancellableMachine),
  );
}

const pointers = new WeakMap<Topology, Map<NodeId, ReadonlyMap<NodeId, NodeId>>>();

/** For each node its next hop towards `holder`, or itself. */
function towardsHolder(
  topology: Topology,
  holder = topology.nodes[0] ?? '',
): ReadonlyMap<NodeId, NodeId> {
  const byHolder = pointers.get(topology) ?? new Map<NodeId, ReadonlyMap<NodeId, NodeId>>();
  pointers.set(topology, byHolder);
  const next =
    byHolder.get(holder) ??
    new Map([...shortestPaths(topology, holder)].map(([id, { via }]) => [id, via ?? id]));
  byHolder.set(holder, next);
  return next;
}
