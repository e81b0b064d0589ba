import {
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeStep,
  type Property,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { stepsOf } from '../../steps.js';
import { type Command, commands, largestLeads, properties, sidesOf } from '../election.js';
import { type Message, machine } from './hirschberg-sinclair.js';

export type { Command };

// What the algorithm promises beyond a leader: how far its ids go.

const { receivedIn, sentIn } = stepsOf<Message>();

/** The ids that the node sends, to whom. */
const electionsIn = (step: NodeStep) =>
  sentIn(step, 'election').map(({ to, message }) => ({ to, ...message }));
const repliesIn = (step: NodeStep) =>
  sentIn(step, 'reply').map(({ to, message }) => ({ to, ...message }));
const otherSide = ({ context: { left, right } }: NodeStep['after'], from: NodeId) =>
  from === left ? right : left;

const ownProperties: readonly Property[] = [
  everyStep('a node sends no id smaller than its own', (step) =>
    [...electionsIn(step), ...repliesIn(step)].every(({ id }) => id >= step.after.id),
  ),
  everyStep(
    'in each phase a candidate sends its id once to each side, to go twice as far as before',
    (step) => {
      const { before, after } = step;
      const own = electionsIn(step).filter(({ id }) => id === after.id);
      const { left, right, phase } = after.context;
      if (own.length === 0) return true;
      return (
        phase === (before.tags.has('waiting') ? Number(before.context.phase) + 1 : 0) &&
        own.length === 2 &&
        [left, right].every((side) => own.some((election) => election.to === side)) &&
        own.every((election) => election.phase === phase && election.hops === 1)
      );
    },
  ),
  everyStep('an id of another node goes away from its sender, with one hop more', (step) => {
    const { after } = step;
    const others = electionsIn(step).filter(({ id }) => id !== after.id);
    if (others.length === 0) return true;
    const received = receivedIn(step, 'election');
    if (!received) return false;
    const { id, phase, hops, from } = received;
    const to = otherSide(after, from);
    return (
      hops < 2 ** phase &&
      others.every(
        (sent) =>
          sent.to === to && sent.id === id && sent.phase === phase && sent.hops === hops + 1,
      )
    );
  }),
  everyStep('only the last node of a phase replies to an id', (step) => {
    const received = receivedIn(step, 'election');
    if (!received) return true;
    const { id, phase, hops, from } = received;
    return repliesIn(step).every(
      (reply) =>
        hops === 2 ** phase && reply.to === from && reply.id === id && reply.phase === phase,
    );
  }),
];

/** B6: Hirschberg–Sinclair. */
export const hirschbergSinclair = defineProtocol<Message, Command>({
  id: 'B6',
  name: 'hirschberg-sinclair',
  title: 'Hirschberg–Sinclair',
  problem: 'election',
  citation:
    'D. S. Hirschberg, J. B. Sinclair: Decentralized Extrema-Finding in Circular Configurations of Processors. CACM 23:11, 1980, 627–628',
  topology: needs.twoWayRing,
  channels: { order: 'any', loss: false, duplication: false },
  roles: { node: { machine, input: sidesOf } },
  messages: {
    election: {
      fields: ['id', 'phase', 'hops'],
      counters: ['phase', 'hops'],
      meaning: '`id` is a candidate, `hops` links away; it goes 2^`phase` links far',
    },
    reply: {
      fields: ['id', 'phase'],
      counters: ['phase'],
      meaning: 'on this side `id` is larger than its 2^`phase` next nodes',
    },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...properties, largestLeads, ...ownProperties],
  cost: {
    per: 'election',
    formula: 'at most 8n(⌈log₂ n⌉ + 1) + n',
    messages: (n) => {
      const phases = Math.ceil(Math.log2(n));
      return { least: 4 * (2 ** phases - 1) + 2 * n + 1, most: 8 * n * (phases + 1) + n };
    },
  },
});
