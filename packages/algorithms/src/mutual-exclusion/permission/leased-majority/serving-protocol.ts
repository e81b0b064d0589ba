/** The options `servers` and `follow`, as changes of the protocol without them. */
import {
  always,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type ProtocolDefinition,
  type Shape,
  sometimes,
} from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import { stepsOf } from '../../../steps.js';
import { type Command, isIdle } from '../../mutual-exclusion.js';
import { countsFrom } from './configuration.js';
import { followerMachine } from './following.js';
import { machineOf } from './machines.js';
import {
  type Context,
  type Following,
  type Message,
  type PlainMessage,
  shapeWith,
  type Try,
} from './node.js';
import { allButAMinority, inquires, sweeps, tries } from './properties.js';
import type { settingsOf } from './settings.js';
import { hasLock } from './step-properties.js';

/** The same, where only the first nodes vote. Rules LQ18–LQ22. */
export function withServers(
  definition: ProtocolDefinition<PlainMessage, Command> | ProtocolDefinition<Message, Command>,
  settings: ReturnType<typeof settingsOf>,
  servers: number,
): ProtocolDefinition<PlainMessage | Try, Command> {
  const { options, topology, roles, succession, messages } = definition;
  const input = (self: NodeId, { nodes }: Topology) =>
    Object(roles.node?.input(self, complete(nodes.slice(0, servers)))); // it is an object
  return {
    ...definition,
    options: { ...options, servers },
    topology: {
      ...topology,
      refuses: (network) =>
        topology.refuses(network) ??
        (network.nodes.length < servers ? `it has less than ${servers} nodes` : undefined),
      example: (n) => complete(Math.max(n, servers)),
    },
    roles: {
      voter: {
        machine: machineOf('voter', settings),
        input: (...of) => ({ ...input(...of), floor: 1, client: '', ahead: 0 }),
        stable: ['ballot', 'floor', 'vote', 'client', 'ahead'],
        counters: ['ballot', 'floor', 'vote', 'ahead'],
      },
      client: { machine: machineOf('client', settings), input },
    },
    roleOf: (node, { nodes }) => (nodes.indexOf(node) < servers ? 'voter' : 'client'),
    ...(succession && {
      succession: {
        ...succession,
        fields: (kept) => ({ ...succession.fields(kept), client: '' }),
      },
    }),
    messages: {
      ...messages,
      try: {
        ...messages.request,
        meaning: 'I request your vote for `ballot`, if you are free',
      },
      vote: withTicket(messages.vote),
      inquire: withTicket(messages.inquire),
      refused: withTicket(messages.refused),
      ...('revoked' in messages && { revoked: withTicket(messages.revoked) }),
    },
    cost: {
      per: 'entry',
      formula: settings.keeps ? '0 … ∞' : `3·${servers} … ∞`,
      messages: () => ({ least: settings.keeps ? 0 : 3 * (servers - 1), most: Infinity }),
    },
    properties: [...definition.properties, tries, inquires, ...sweeps],
    clients: { servedBy: 'voter', messages: ['request', 'try', 'released'] },
  };
}

const withTicket = <F extends string>(shape: Shape<F>) =>
  shapeWith(shape, ['ticket'], '`ticket` is a ballot for a client', ['ticket']);

// The option `follow`, as a change of the protocol without it.

// Properties of the clients that follow, and of what a leader tells them: rules EF1–EF7.

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Following, Context>();

const isServer = (node: NodeView): boolean => contextOf(node).nodes.includes(node.id);
const shows = (node: NodeView): boolean => node.tags.has('informed');

/** It has returned the votes for this ballot, or has started again and returns them by a later one. */
const hasGoneOn = (server: NodeView, ballot: number): boolean =>
  contextOf(server).floor > ballot || contextOf(server).ballot > ballot;

/** Whether the stopwatch of this question runs, where it is one of the last two. */
const runs = ({ value }: NodeView, question: number): boolean =>
  Object(value)[question % 2 === 0 ? 'evens' : 'odds'] === 'running';

/** Whether the answer to one of the last two questions still counts. */
const isProved = (client: NodeView): boolean => {
  const { asked = 0, answered = 0 } = contextOf(client);
  return [answered, asked].some(
    (question) =>
      question > 0 && question <= answered && question >= asked - 1 && runs(client, question),
  );
};

const isClient = (node: NodeView): boolean => !node.crashed && !isServer(node);

const asksInTime = everyStep(
  'when a question is due, a client asks all servers: the same one while it may be answered, otherwise the next one, and its stopwatch runs',
  ({ cause, before, after, sent }) => {
    if (cause.kind !== 'timeout' || !cause.timer.includes('halfRenewal')) return true;
    const { nodes, asked = 0, answered = 0, questions = Infinity } = contextOf(before);
    const isOpen = answered < asked && runs(before, asked);
    if (!isOpen && asked >= questions) return sent.length === 0;
    const latest = contextOf(after).asked ?? 0;
    return (
      latest === asked + (isOpen ? 0 : 1) &&
      runs(after, latest) &&
      nodes.every((id) =>
        sent.some(({ to, message }) => to === id && Object(message).asked === latest),
      )
    );
  },
);

const takesAnswers = everyStep(
  'a client takes the answers to its last two questions, unless their term is earlier than one that it has shown',
  (step) => {
    const told = receivedIn(step, 'leads');
    if (!told) return true;
    const [was, is] = [contextOf(step.before), contextOf(step.after)];
    const { asked = 0 } = was;
    const isTaken = told.ballot >= was.floor && [asked, asked - 1].includes(told.asked);
    if (!isTaken) return is.floor === was.floor && shows(step.after) === shows(step.before);
    if (!shows(step.after)) return is.floor === told.ballot && !runs(step.after, told.asked);
    return is.floor === told.ballot && (is.answered ?? 0) >= told.asked;
  },
);

const showsInTime = always(
  'a client has asked, and shows a leader exactly while the answer to a question counts',
  ({ nodes }) =>
    nodes.filter(isClient).every((client) => {
      const { asked = 0, answered = 0, leader } = contextOf(client);
      const shown = shows(client);
      return (
        asked > 0 &&
        shown === isProved(client) &&
        shown === (leader !== '') &&
        shown === answered > 0
      );
    }),
);

const notes = everyStep(
  'a leader notes who asks, and renews its votes at once for a client that it does not know',
  (step) => {
    const { before, after } = step;
    const told = receivedIn(step, 'follow');
    if (!told || !hasLock(before))
      return (contextOf(after).followers ?? []).length === 0 || hasLock(after);
    const { round, followers = [] } = contextOf(before);
    const isStranger = followers.every(({ id }) => id !== told.from);
    const renews = isStranger && countsFrom(contextOf(before), round);
    return (
      contextOf(after).round === round + (renews ? 1 : 0) &&
      (contextOf(after).followers ?? []).some(
        ({ id, asked }) => id === told.from && asked >= told.asked,
      )
    );
  },
);

const followRules: readonly Property[] = [
  always(
    'while a client shows a leader, a majority is bound to it, unless it has returned the votes',
    (system) =>
      system.nodes.filter(shows).every((client) => {
        const { leader = '', floor } = contextOf(client);
        const server = system.node(leader);
        return (
          hasGoneOn(server, floor) ||
          allButAMinority(system, client, (node) => contextOf(node).vote === floor)
        );
      }),
  ),
  everyStep(
    'a client shows no term that is earlier than one that it has shown',
    ({ before, after }) => isServer(after) || contextOf(after).floor >= contextOf(before).floor,
  ),
  everyStep('a client shows what a leader has told it, and nothing else', (step) => {
    const { before, after } = step;
    if (isServer(after) || !shows(after)) return true;
    const [was, is] = [contextOf(before), contextOf(after)];
    const told = receivedIn(step, 'leads');
    if (shows(before) && was.leader === is.leader && was.floor === is.floor) return true;
    return told?.from === is.leader && told?.ballot === is.floor;
  }),
  everyStep('a server says that it leads only while it does, and by its ballot', (step) =>
    sentIn(step, 'leads').every(
      ({ message }) => hasLock(step.after) && message.ballot === contextOf(step.after).ballot,
    ),
  ),
  everyStep(
    'a server that leads no longer tells so those whom it has told that it leads',
    (step) => {
      const [was, is] = [hasLock(step.before), hasLock(step.after)];
      const told = sentIn(step, 'ended').map(({ to }) => to);
      const { ballot, followers = [] } = contextOf(step.before);
      if (!was || is) return told.length === 0;
      return (
        followers.every(({ id }) => told.includes(id)) &&
        sentIn(step, 'ended').every(({ message }) => message.ballot === ballot)
      );
    },
  ),
  everyStep('a client that is told that a term has ended shows it no longer', (step) => {
    const told = receivedIn(step, 'ended');
    if (!told) return true;
    const { floor } = contextOf(step.before);
    if (told.ballot < floor) return shows(step.after) === shows(step.before);
    return !shows(step.after) && contextOf(step.after).floor === told.ballot + 1;
  }),
  asksInTime,
  takesAnswers,
  showsInTime,
  notes,
  sometimes('a client shows a leader', (system) => system.count('informed') > 0),
];

/** The same, where the last nodes only follow. Rules EF1–EF7. */
export function withFollowers(
  definition: ProtocolDefinition<PlainMessage, Command> | ProtocolDefinition<Message, Command>,
  settings: ReturnType<typeof settingsOf>,
  servers: number,
): ProtocolDefinition<PlainMessage | Following, Command> {
  const { options, topology, roles, messages, commands } = definition;
  const input = (self: NodeId, { nodes }: Topology) =>
    Object(roles.node?.input(self, complete(nodes.slice(0, servers)))); // it is an object
  return {
    ...definition,
    options: { ...options, servers, follow: true },
    topology: {
      ...topology,
      refuses: (network) =>
        topology.refuses(network) ??
        (network.nodes.length < servers ? `it has less than ${servers} nodes` : undefined),
      example: (n) => complete(Math.max(n, servers)),
    },
    roles: {
      server: {
        machine: machineOf('server', settings),
        input,
        stable: ['ballot', 'floor', 'vote'],
        counters: ['ballot', 'floor', 'vote'],
      },
      client: {
        machine: followerMachine,
        input: (...of) => ({ ...input(...of), validity: settings.shown }),
      },
    },
    roleOf: (node, { nodes }) => (nodes.indexOf(node) < servers ? 'server' : 'client'),
    messages: {
      ...messages,
      follow: {
        fields: ['asked'],
        counters: ['asked'],
        meaning: 'who leads? This is my question number `asked`',
      },
      leads: {
        fields: ['ballot', 'asked'],
        counters: ['ballot', 'asked'],
        meaning: 'I lead with `ballot`; a majority voted for it after your question number `asked`',
      },
      ended: {
        fields: ['ballot'],
        counters: ['ballot'],
        meaning: 'I lead with `ballot` no longer',
      },
    },
    commands: {
      ...commands,
      acquire: { ...commands.acquire, when: (node) => isIdle(node) && isServer(node) },
    },
    cost: {
      per: 'entry',
      formula: `3·${servers - 1} … ∞`,
      messages: () => ({ least: 3 * (servers - 1), most: Infinity }),
    },
    properties: [...definition.properties, ...followRules],
    clients: { servedBy: 'server', messages: ['follow'] },
  };
}
