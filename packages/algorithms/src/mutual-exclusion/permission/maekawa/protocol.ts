import { ConclaveError, type Cost, defineProtocol, type NodeView, type Protocol, type TopologyNeed } from '@conclave/core/protocol';
import { needs, nodeNames, type Topology } from '@conclave/core/topology';
import { type Command, commands, fenced, nodesIn, properties } from '../../mutual-exclusion.js';
import { planeOrder, type QuorumKind, type QuorumSets, quorumKinds, quorumSets } from '../building-blocks/quorum-sets.js';
import { type Message, machine, naive as naiveMachine } from './maekawa.js';
import { rules, votes } from './properties.js';

export type MaekawaOptions = {
  /**
   * Whom a node asks: a line of a projective `plane`, row and column of a `grid`, or a `majority`. Default `best`: the plane where there is one,
   * else the grid.
   */
  readonly quorums?: QuorumKind;
  /** Without FAILED, INQUIRE and RELINQUISH: it deadlocks. Default false. */
  readonly naive?: boolean;
};

const fence = ({ context }: NodeView): number => Number(context.fence);

/**
 * A12: Maekawa's voting, with Sanders' correction.
 *
 * @throws {ConclaveError} `bad-input` for quorum sets of another kind.
 * @example maekawa({ quorums: 'majority' })
 */
export function maekawa({ quorums = 'best', naive = false }: MaekawaOptions = {}): Protocol<Message, Command> {
  if (!quorumKinds.includes(quorums))
    throw new ConclaveError('bad-input', `maekawa: there are no quorums '${quorums}'`, `There are ${quorumKinds.join(', ')}.`);
  const setsOf = onceEach((topology) => quorumSets(quorums, topology.nodes));
  return defineProtocol<Message, Command>({
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
      node: { machine: naive ? naiveMachine : machine, input: (self, topology) => ({ self, quorum: setsOf(topology).get(self) ?? [] }) },
    },
    messages: {
      request: { fields: ['ts'], meaning: 'I want to enter and ask for your vote; `ts` orders the requests' },
      locked: { fields: ['entries'], meaning: 'you have my vote; I know of fencing tokens up to `entries`' },
      failed: { meaning: 'another has my vote, or will have it before you' },
      inquire: { meaning: 'somebody before you asks for my vote: do you need it still?' },
      relinquish: { meaning: 'here is your vote back; I wait for it again' },
      released: {
        fields: ['entries'],
        meaning: 'I have left: here is your vote back; `entries` was my fencing token; in the paper RELEASE',
      },
    },
    commands,
    properties: [...properties, ...votes, fenced(fence), ...rules],
    cost: votingCost(quorums),
    fence,
    waitsFor: (node) => nodesIn('quorum')(node).filter((voter) => !nodesIn('votes')(node).includes(voter)),
  });
}

/** Where there is a projective plane of as many points as nodes; as an example the largest of at most `n`. */
const completePlane: TopologyNeed = {
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
 * 3 messages for each other node of the quorum where nobody else wants to enter. At most 6, and 3 at the own voter: a request is asked for,
 * granted and given back, and makes its voter say `failed` to somebody, or take a vote back and give it once more.
 */
const votingCost = (quorums: QuorumKind): Cost => ({
  per: 'entry',
  formula: `3(K−1) … 6K−3, K ${sizeOf[quorums]}`,
  messages: (n) => {
    const sizes = [...quorumSets(quorums, nodeNames(n)).values()].map(({ length }) => length);
    return { least: 3 * (Math.min(...sizes) - 1), most: 6 * Math.max(...sizes) - 3 };
  },
});

const sizeOf: Readonly<Record<QuorumKind, string>> = {
  best: 'from √n to 2√n',
  plane: 'about √n',
  grid: 'about 2√n',
  majority: '= ⌈(n+1)/2⌉',
};

/** A function of networks that works out each of its values once. */
function onceEach(of: (topology: Topology) => QuorumSets): (topology: Topology) => QuorumSets {
  const known = new WeakMap<Topology, QuorumSets>();
  return (topology) => {
    const sets = known.get(topology) ?? of(topology);
    known.set(topology, sets);
    return sets;
  };
}
