import {
  ConclaveError,
  defineProtocol,
  type Message,
  type NodeView,
  type Protocol,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { partShapes, requireNoHistory, requireNoNotices } from '../../../composition/part.js';
import { partText, validOptions } from '../../../options.js';
import { type Command, commands, properties, tokensGrow } from '../../mutual-exclusion.js';
import { ricartAgrawala } from '../../permission/ricart-agrawala/protocol.js';
import { tokenRing } from '../../token/token-ring/protocol.js';
import { Partition, RoleAssignments } from './clusters.js';
import { hierarchicalOptions, type Options } from './hierarchical.js';

export type { Command, Options };

/**
 * A13: two levels. Inside each cluster the members compete by one protocol. The winner asks the
 * cluster's representative, which competes by another protocol with the representatives of the
 * other clusters.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, a value that it does not take, or
 * parts that are not plain locks or fit no network.
 * @example hierarchical({ within: centralCoordinator(), between: raymond(), clusters: 3 })
 */
export function hierarchical(options: Options = {}): Protocol<Command> {
  const {
    within = tokenRing(),
    between = ricartAgrawala,
    clusters = 2,
    turns = 1,
  } = validOptions('hierarchical', hierarchicalOptions, options);
  requireLock(within);
  requireLock(between);
  const partition = new Partition(within, between, clusters);
  requireNetwork(partition);
  const assignments = new RoleAssignments(within, between, partition, turns);
  const fence = ({ context }: NodeView) => Number(context.fence);
  const cost = costOf(within, between, partition, turns);
  return defineProtocol<Message, Command>({
    id: 'A13',
    name: 'hierarchical',
    title: 'Hierarchical',
    problem: 'mutual-exclusion',
    citation: `Folklore (representatives of clusters). Within: ${within.citation}. Between: ${between.citation}`,
    options: { within: partText(within), between: partText(between), clusters, turns },
    topology: {
      ...needs.complete,
      refuses: (topology) => partition.refuses(topology),
      example: (n) => partition.example(n),
    },
    channels: {
      order: within.channels.order === 'fifo' || between.channels.order === 'fifo' ? 'fifo' : 'any',
      loss: false,
      duplication: false,
      ...timeFor(within, between),
    },
    roles: assignments.roles(),
    roleOf: (node, topology) => assignments.of(node, topology).name,
    messages: {
      ...agentMessages,
      ...(turns > 1 && { request: { meaning: 'a member requests entry; its claim will follow' } }),
      ...partShapes('within', within.messages),
      ...partShapes('between', between.messages),
    },
    commands,
    properties: [
      ...properties,
      ...(between.fence ? [tokensGrow(fence)] : []),
      ...assignments.invariants(),
    ],
    ...(between.fence && { fence }),
    waitsFor: (node, topology) => assignments.awaited(node, topology),
    ...(cost && { cost }),
    times: { ...timesOf('within', within), ...timesOf('between', between) },
    ...((within.perpetual || between.perpetual) && { perpetual: true }),
  });
}

const timesOf = (name: string, { times = {} }: Protocol) =>
  Object.fromEntries(Object.entries(times).map(([option, time]) => [`${option} of ${name}`, time]));

/** The time of the part that needs exact time. */
function timeFor(within: Protocol, between: Protocol): Pick<Protocol['channels'], 'time'> {
  const needed = [within, between].flatMap(({ channels }) =>
    channels.time && channels.time !== 'untimed' ? [channels.time] : [],
  );
  const [time, other] = needed;
  if (!time) return {};
  if (other && JSON.stringify(other) !== JSON.stringify(time))
    throw new ConclaveError(
      'bad-input',
      'hierarchical: the parts need different times',
      'Give both the same timeout.',
    );
  return { time };
}

const agentMessages: Protocol['messages'] = {
  claim: { meaning: 'the sender has the inner lock and needs the outer one' },
  admitted: {
    fields: ['fence'],
    counters: ['fence'],
    meaning:
      'the cluster has the outer lock and the receiver may enter; `fence` is its fencing token',
  },
  left: { meaning: 'the sender has left its critical section' },
};

/**
 * The messages of the parts, and those between a member and its representative: none where the
 * representative itself enters.
 */
function costOf(
  within: Protocol,
  between: Protocol,
  partition: Partition,
  turns: number,
): Protocol['cost'] {
  const [inner, outer] = [within.cost, between.cost];
  if (!inner || !outer) return undefined;
  const own = turns > 1 ? 4 : 3;
  return {
    per: 'entry',
    formula: `${inner.formula.replace(/(?<!\p{L})n(?!\p{L})/gu, 'm')} + ${outer.formula} + ${own}`,
    remark: 'in a cluster of m nodes, between n clusters, and with the representative',
    messages: (n) => {
      const sizes = partition.sizes(n);
      const inside = sizes
        .filter((_, index) => partition.enters(index))
        .map((size) => inner.messages(size));
      const outside = outer.messages(sizes.length);
      return {
        least: Math.min(...inside.map(({ least }) => least)) + outside.least / turns,
        most: Math.max(...inside.map(({ most }) => most)) + outside.most + own,
      };
    },
  };
}

function requireLock(part: Protocol): void {
  requireNoHistory('hierarchical', part);
  requireNoNotices('hierarchical', part);
  const { title, problem, commands: own } = part;
  const types = Object.keys(own).sort();
  const isPlain =
    types.join() === 'acquire,release' &&
    Object.values(own).every(({ fields = [] }) => fields.length === 0);
  const refuse = (what: string) =>
    new ConclaveError(
      'bad-input',
      `hierarchical: ${title} ${what}`,
      "Try 'raymond' or 'ricart-agrawala'.",
    );
  if (problem !== 'mutual-exclusion' || !isPlain)
    throw refuse('is not a plain lock, whose only commands are acquire and release');
  const missing = properties.find(
    ({ name }) => !part.properties.some((property) => property.name === name),
  );
  if (missing) throw refuse(`lacks the property '${missing.name}'`);
}

function requireNetwork(partition: Partition): void {
  const why = partition.refuses(partition.example(1));
  if (why !== undefined)
    throw new ConclaveError(
      'bad-input',
      `hierarchical: no network fits: ${why}`,
      'Leave out options that name single nodes, such as holder.',
    );
}
