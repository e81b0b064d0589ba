import {
  almostSurely,
  always,
  defineProtocol,
  everyStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import { type Command, commands, decision, termination } from '../election.js';
import { itaiRodehOptions, type Message, machine, type Options } from './itai-rodeh.js';

export type { Command, Options };

/**
 * The node that `node` knows as the leader: on a ring, going back some hops is going on the others.
 */
function leaderOf({ id, context }: NodeView, system: SystemView): string | undefined {
  if (typeof context.leader !== 'number') return undefined;
  const hops = context.leader;
  let at = id;
  for (let left = hops === 0 ? 0 : Number(context.size) - hops; left > 0; left--)
    at = String(system.node(at).context.next);
  return at;
}

/** Properties of the problem for nodes that know how far the leader is instead of its id. */
const anonymous: readonly Property[] = [
  always(
    'all nodes that know a leader know the same one',
    (system) => new Set(system.tagged('decided').map((node) => leaderOf(node, system))).size <= 1,
  ),
  always('a node that is the leader knows itself as the leader', (system) =>
    system.tagged('leader').every((node) => leaderOf(node, system) === node.id),
  ),
];

/** Nodes may draw equal ids forever: the election ends with probability 1, and not in every run. */
const problem: readonly Property[] = [...decision, ...termination]
  .map((property) =>
    property.kind === 'eventually' ? almostSurely(property.name, property.holds) : property,
  )
  .map((property) => anonymous.find(({ name }) => name === property.name) ?? property);

const rounds: readonly Property[] = [
  always(
    'once the election has begun, some node is active until there is a leader',
    (system) =>
      system.count('leader') === 1 ||
      system.nodes.every(({ value }) => value === 'asleep') ||
      system.nodes.some(({ value }) => value === 'active' || value === 'drawing'),
  ),
  always('no message takes more hops than there are nodes', (system) =>
    system
      .inFlight()
      .every(({ message }) => 'hop' in message && Number(message.hop) <= system.nodes.length),
  ),
  everyStep('a node stands for the id that it draws', ({ after, cause, sent }) => {
    if (cause.kind !== 'choice') return true;
    return (
      after.context.id === cause.value &&
      sent.every(({ message }) => 'id' in message && message.id === cause.value)
    );
  }),
  everyStep(
    'a node draws again only if its id has come back as not unique',
    ({ before, after, cause }) => {
      if (before.value !== 'active' || after.value !== 'drawing') return true;
      const { hop, unique }: Readonly<Record<string, unknown>> =
        cause.kind === 'message' ? { ...cause.message } : {};
      return hop === before.context.size && unique === false;
    },
  ),
  everyStep('a node sends one message at a time', ({ sent }) => sent.length <= 1),
];

/**
 * B15: Itai–Rodeh, for anonymous rings.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take. With
 * less than two `ids` all nodes draw the same one, and the election never ends.
 * @example itaiRodeh({ ids: 2 }) // nodes toss coins
 */
export const itaiRodeh = (options: Options = {}) => {
  const { ids } = validOptions('itaiRodeh', itaiRodehOptions, options);
  return defineProtocol<Message, Command>({
    id: 'B15',
    name: 'itai-rodeh',
    title: 'Itai–Rodeh',
    problem: 'election',
    citation:
      'A. Itai, M. Rodeh: Symmetry Breaking in Distributed Networks. Information and Computation 88:1, 1990, 60–87; W. Fokkink, J. Pang: Variations on Itai-Rodeh Leader Election for Anonymous Rings and their Analysis in PRISM. Journal of Universal Computer Science 12:8, 2006, 981–1006',
    ...(ids === undefined ? {} : { options: { ids } }),
    topology: needs.oneWayRing,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      node: {
        machine,
        input: (self, topology) => {
          const size = topology.nodes.length;
          return { next: topology.successors(self)[0] ?? self, size, ids: ids ?? size };
        },
      },
    },
    messages: {
      election: {
        fields: ['id', 'hop', 'unique'],
        counters: ['id', 'hop'],
        meaning:
          'a node has drawn `id`, `hop` nodes before you; `unique`: no other node on the way has drawn it',
      },
      elected: {
        fields: ['hop'],
        counters: ['hop'],
        meaning: 'the leader is `hop` nodes before you',
      },
    },
    commands,
    rewards: { draws: ({ cause }) => (cause.kind === 'choice' ? 1 : 0) },
    properties: [...problem, ...rounds],
    cost: {
      per: 'election',
      formula: 'O(n log n)',
      remark: 'on average when all nodes start',
      messages: (n) => ({ least: 2 * n, most: Infinity }),
    },
  });
};
