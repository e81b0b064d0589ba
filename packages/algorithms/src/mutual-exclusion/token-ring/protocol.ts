import { always, defineProtocol, type NodeId, type Protocol, type TopologyNeed } from '@conclave/core/protocol';
import { needs, nodeNames, ring } from '@conclave/core/topology';
import { type Command, commands, properties } from '../mutual-exclusion.js';
import { type Message, machine } from './token-ring.js';

export type TokenRingOptions = {
  /** Who puts the token on the ring. Default the network's first node. */
  readonly holder?: NodeId;
};

/**
 * A11: LeLann's token that goes round a one-way ring for ever.
 *
 * @example tokenRing({ holder: 'c' })
 */
export const tokenRing = ({ holder }: TokenRingOptions = {}): Protocol<Message, Command> =>
  defineProtocol<Message, Command>({
    id: 'A11',
    name: 'token-ring',
    title: 'Token ring',
    problem: 'mutual-exclusion',
    citation: 'G. Le Lann: Distributed Systems, Towards a Formal Approach. IFIP Congress 1977, Toronto, pp. 155–160',
    options: holder === undefined ? {} : { holder },
    topology: holder === undefined ? needs.oneWayRing : ringWith(holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine,
        input: (self, topology) => ({ next: topology.at(self, 'next') ?? self, first: self === (holder ?? topology.nodes[0]) }),
      },
    },
    messages: { token: { meaning: 'whoever has it may enter; whoever does not want to passes it on' } },
    commands,
    properties: [
      ...properties,
      always(
        'there is exactly one token, in a node or on its way',
        (system) => system.count('token') + system.inFlight('token').length === 1,
      ),
    ],
    cost: { per: 'entry', formula: '1 … ∞', messages: () => ({ least: 1, most: Infinity }) },
    perpetual: true,
  });

/** A ring on which the node `holder` is. */
const ringWith = (holder: NodeId): TopologyNeed => ({
  ...needs.oneWayRing,
  refuses: (topology) =>
    needs.oneWayRing.refuses(topology) ?? (topology.has(holder) ? undefined : `there is no node '${holder}' to put the token on the ring`),
  example: (n) => ring([holder, ...nodeNames(n).filter((id) => id !== holder)].slice(0, n)),
});
