import {
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { isCommanded, receivedIn, sameIds, sentIn } from '../../../steps.js';
import { type Command, commands, nodesIn, properties, tokensGrow } from '../../mutual-exclusion.js';
import { isOlder, numberOf, type Request } from '../building-blocks/permissions.js';
import { type Message, machine, type Wave } from './ricart-agrawala-echo.js';

export type { Command };

// as the machine's own types say
const wavesOf = ({ context }: NodeView): readonly Wave[] => context.waves as readonly Wave[];
const neighboursOf = ({ context }: NodeView): readonly NodeId[] =>
  context.neighbours as readonly NodeId[]; // the same
const pendingOf = ({ context }: NodeView): readonly NodeId[] =>
  context.pending as readonly NodeId[]; // the same
const ownOf = ({ id, context }: NodeView): Request => ({ ts: Number(context.requestedAt), id });

const knows = (node: NodeView, id: unknown): boolean =>
  wavesOf(node).some((wave) => wave.id === id);

/** The request that the step hears of for the first time. */
function newsIn(step: NodeStep): (Request & { readonly from: NodeId }) | undefined {
  const request = receivedIn(step, 'request');
  if (!request || request.id === step.before.id || knows(step.before, request.id)) return undefined;
  return { ts: Number(request.ts), id: String(request.id), from: request.from };
}

/** The rules, step by step. */
const echoRules: readonly Property[] = [
  everyStep(
    'a node sends a request to all neighbours except its sender, the first time that it has it, and never again',
    (step) => {
      const { before, after } = step;
      const news = newsIn(step);
      const made = isCommanded('acquire', step) ? ownOf(after) : undefined;
      const due = neighboursOf(before).flatMap((to) => {
        const request = news && to !== news.from ? news : made;
        return request ? [`${to} ${request.id} ${request.ts}`] : [];
      });
      return sameIds(
        sentIn(step, 'request').map(({ to, message }) => `${to} ${message.id} ${message.ts}`),
        due,
      );
    },
  ),
  everyStep(
    'a node ends each wave of another node with one echo to the neighbour that it came from, after hearing from all others',
    (step) => {
      const { before, after } = step;
      const news = newsIn(step);
      const known = [
        ...wavesOf(before).map(({ id, parent }) => `${parent} ${id}`),
        ...(news ? [`${news.from} ${news.id}`] : []),
      ];
      const left = wavesOf(after).map(({ id, parent }) => `${parent} ${id}`);
      const heard = receivedIn(step, 'request', 'echo');
      const unheard = (id: unknown): readonly NodeId[] => {
        const pending =
          wavesOf(before).find((wave) => wave.id === id)?.pending ?? neighboursOf(before);
        return heard?.id === id ? pending.filter((peer) => peer !== heard?.from) : pending;
      };
      const echoes = sentIn(step, 'echo');
      const isDue = echoes.every(({ message }) => unheard(message.id).length === 0);
      return (
        isDue &&
        sameIds([...left, ...echoes.map(({ to, message }) => `${to} ${message.id}`)], known)
      );
    },
  ),
  everyStep(
    'a node in its critical section echoes no wave, and a waiting node echoes only waves of older requests',
    (step) => {
      const { before, after } = step;
      const echoed = sentIn(step, 'echo').map(
        ({ message }) => wavesOf(before).find(({ id }) => id === message.id) ?? newsIn(step),
      );
      if (echoed.length > 0 && after.tags.has('critical')) return false;
      return (
        !after.tags.has('waiting') ||
        echoed.every((wave) => wave !== undefined && isOlder(wave, ownOf(after)))
      );
    },
  ),
  everyStep(
    'a node enters when it has heard from all neighbours',
    ({ after }) => !after.tags.has('critical') || pendingOf(after).length === 0,
  ),
  everyStep(
    'the clock of a node passes the time stamp of each new request, and its own request carries its reading',
    (step) => {
      const { before, after } = step;
      const [was, is, news] = [
        Number(before.context.clock),
        Number(after.context.clock),
        newsIn(step),
      ];
      if (news) return is === Math.max(was, news.ts) + 1;
      return (
        is === (isCommanded('acquire', step) ? was + 1 : was) &&
        (!isCommanded('acquire', step) || ownOf(after).ts === is)
      );
    },
  ),
];

/** A3c: Ricart–Agrawala by echo waves. */
export const ricartAgrawalaEcho = defineProtocol<Message, Command>({
  id: 'A3c',
  name: 'ricart-agrawala-echo',
  title: 'Ricart–Agrawala by echo waves',
  problem: 'mutual-exclusion',
  citation:
    'G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks. CACM 24:1, 1981; E. J. H. Chang: Echo Algorithms. IEEE TSE 8:4, 1982; F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000',
  topology: needs.connected,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => ({
        self,
        neighbours: topology.successors(self),
        nodes: topology.nodes,
      }),
    },
  },
  messages: {
    request: {
      fields: ['ts', 'id'],
      counters: ['ts'],
      meaning: 'node `id` requests entry, with the time stamp `ts`',
    },
    echo: {
      fields: ['id'],
      meaning: 'the sender and all nodes behind it permit the entry of node `id`',
    },
  },
  commands,
  properties: [...properties, tokensGrow(fence), ...echoRules],
  fence,
  waitsFor: nodesIn('pending'),
  cost: {
    per: 'entry',
    formula: '2e',
    messages: (n, topology) =>
      topology
        ? { least: topology.links.length, most: topology.links.length }
        : { least: 2 * (n - 1), most: n * (n - 1) },
  },
});

/** Entries are in the order of requests. */
function fence({ id, context }: NodeView): number {
  return numberOf({ ts: Number(context.requestedAt), id }, [context.nodes].flat().map(String));
}
