import {
  ConclaveError,
  defineProtocol,
  type FencedProtocol,
  type NodeView,
  type Protocol,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../../options.js';
import { type CancellableCommand, fenced, withCancel } from '../../cancel.js';
import { type Command, commands, nodesIn, properties, tokensGrow } from '../../mutual-exclusion.js';
import {
  planeOrder,
  type QuorumKind,
  type QuorumSets,
  quorumSets,
} from '../building-blocks/quorum-sets.js';
import {
  type CancellableMessage,
  cancellableMachine,
  type Message,
  machine,
  maekawaOptions,
  naive as naiveMachine,
  type Options,
} from './maekawa.js';
import { returnableVotes, rules, votes } from './properties.js';

export type { CancellableCommand, Command, Options };

const fence = ({ context }: NodeView): number => Number(context.fence);

/**
 * A12: Maekawa's voting, with Sanders' correction.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, a value that it does not take, or
 * `naive` with `cancel`.
 * @example maekawa({ quorums: 'majority' })
 */
export function maekawa(options: Options = {}): FencedProtocol<CancellableCommand> {
  const {
    quorums = 'best',
    naive = false,
    cancel = false,
  } = validOptions('maekawa', maekawaOptions, options);
  if (naive && cancel)
    throw new ConclaveError(
      'bad-input',
      'maekawa: naive and cancel are both true',
      'Choose one of them.',
    );
  const setsOf = onceEach((topology) => quorumSets(quorums, topology.nodes));
  const definition: ProtocolDefinition<Message, Command> = {
    id: 'A12',
    name: 'maekawa',
    title: 'Maekawa',
    problem: 'mutual-exclusion',
    citation:
      'M. Maekawa: A √N Algorithm for Mutual Exclusion in Decentralized Systems. ACM TOCS 3:2, 1985; B. A. Sanders: The Information Structure of Distributed Mutual Exclusion Algorithms. ACM TOCS 5:3, 1987',
    options: { ...(quorums === 'best' ? {} : { quorums }), ...(naive ? { naive } : {}) },
    topology: quorums === 'plane' ? completePlane : needs.complete,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      node: {
        machine: naive ? naiveMachine : machine,
        input: (self, topology) => ({ self, quorum: setsOf(topology).get(self) ?? [] }),
      },
    },
    messages: {
      request: {
        fields: ['ts'],
        counters: ['ts'],
        meaning: 'I request your vote; `ts` is the time stamp of the request',
      },
      locked: {
        fields: ['entries'],
        counters: ['entries'],
        meaning: 'you have my vote; the largest fencing token that I know is `entries`',
      },
      failed: { meaning: 'another client has my vote, or gets it before you' },
      inquire: { meaning: 'an older request waits for my vote: can you return it?' },
      relinquish: { meaning: 'I return your vote and wait for it again' },
      released: {
        fields: ['entries'],
        counters: ['entries'],
        meaning:
          'I have left and return your vote; `entries` was my fencing token; RELEASE in the paper',
      },
    },
    commands,
    properties: [...properties, ...votes, tokensGrow(fence), ...rules],
    cost: votingCost(quorums),
    fence,
    waitsFor: (node) =>
      nodesIn('quorum')(node).filter((voter) => !nodesIn('votes')(node).includes(voter)),
  };
  return fenced<CancellableCommand>(
    cancel ? defineProtocol(cancellableOf(definition)) : defineProtocol(definition),
  );
}

const cancellableOf = (
  definition: ProtocolDefinition<Message, Command>,
): ProtocolDefinition<CancellableMessage, CancellableCommand> =>
  withCancel<CancellableMessage>(
    {
      ...definition,
      messages: {
        ...definition.messages,
        withdraw: { meaning: 'I request no longer; this returns your vote if I have it' },
        withdrawn: { meaning: 'your request is withdrawn; no answer to it follows' },
      },
      properties: [...properties, ...returnableVotes, tokensGrow(fence), ...rules],
    },
    { machines: { node: cancellableMachine }, withdraws: true },
  );

/**
 * A complete network with as many nodes as a known projective plane has points; the example is the
 * largest of at most `n` nodes.
 */
const completePlane: Protocol['topology'] = {
  ...needs.complete,
  refuses: (topology) =>
    needs.complete.refuses(topology) ??
    (planeOrder(topology.nodes.length) === undefined
      ? `there is no known projective plane for ${topology.nodes.length} nodes, only for 3, 7, 13, 21, 31, 57 …`
      : undefined),
  example: (n) => {
    let points = Math.max(3, n);
    while (planeOrder(points) === undefined) points--;
    return needs.complete.example(points);
  },
};

/**
 * 3 messages for each other node of the quorum without contention: request, vote, release. At most
 * 6, and 3 for the own voter: besides, either a `failed`, or `inquire`, `relinquish` and a second
 * `locked`.
 */
const votingCost = (quorums: QuorumKind): NonNullable<Protocol['cost']> => ({
  per: 'entry',
  formula: '3(K−1) … 6K−3',
  remark: `with quorums of K nodes, ${sizeOf[quorums]}`,
  messages: (n) => {
    const sizes = [...quorumSets(quorums, needs.complete.example(n).nodes).values()].map(
      ({ length }) => length,
    );
    return { least: 3 * (Math.min(...sizes) - 1), most: 6 * Math.max(...sizes) - 3 };
  },
});

const sizeOf: Readonly<Record<QuorumKind, string>> = {
  best: 'from √n to 2√n',
  plane: 'about √n',
  grid: 'about 2√n',
  majority: '⌈(n+1)/2⌉',
};

/** A function of networks that computes each value once. */
function onceEach(of: (topology: Topology) => QuorumSets): (topology: Topology) => QuorumSets {
  const known = new WeakMap<Topology, QuorumSets>();
  return (topology) => {
    const sets = known.get(topology) ?? of(topology);
    known.set(topology, sets);
    return sets;
  };
}
