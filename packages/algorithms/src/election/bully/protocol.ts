import {
  type Message as AnyMessage,
  always,
  defineProtocol,
  eventually,
  everyStep,
  leadsTo,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  type ProtocolDefinition,
  sometimes,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { partShapes } from '../../composition/part.js';
import { watchTimes } from '../../detectors/heartbeat/heartbeat.js';
import { heartbeat } from '../../detectors/heartbeat/protocol.js';
import { timers, validOptions } from '../../options.js';
import { type Command, commands } from '../election.js';
import { bullyOptions, detectingMachine, type Message, machine, type Options } from './bully.js';

// What each step may do, as the page states it.

interface Known {
  readonly state: string;
  readonly term: number;
  readonly leader: unknown;
  readonly suspected: readonly unknown[];
}

function knowledgeOf({ value, context }: NodeView): Known {
  const { election } = Object(value);
  const { suspected = [] } = Object(context.detector);
  return {
    state: typeof value === 'string' ? value : String(election),
    term: Number(context.term),
    leader: context.leader,
    suspected: [suspected].flat(),
  };
}

const peers = ({ context }: NodeView, field: 'lower' | 'higher'): readonly NodeId[] =>
  [context[field]].flat().filter((id) => typeof id === 'string');

const termIn = (message: AnyMessage): number => Number('term' in message ? message.term : 0);

/** The state that a step leads to, where an election begins: the largest node leads at once. */
const stateAtStart = (node: NodeView): string =>
  peers(node, 'higher').length === 0 ? 'leader' : 'electing';

function afterTimeout({ before, after }: NodeStep, timer: string): string {
  const { state, leader } = knowledgeOf(before);
  if (!timer.includes('detector:')) return state === 'electing' ? 'leader' : stateAtStart(before);
  const losesLeader = state === 'follower' && knowledgeOf(after).suspected.includes(leader);
  return losesLeader ? stateAtStart(before) : state;
}

function afterMessage({ before, after }: NodeStep, message: AnyMessage, from: NodeId): string {
  const { state, term } = knowledgeOf(before);
  const isLower = from < before.id;
  switch (message.type) {
    case 'election': {
      if (!isLower) return state === 'follower' || state === 'rejoining' ? state : 'yielding';
      const begins = state === 'asleep' || (state === 'follower' && termIn(message) >= term);
      return begins ? stateAtStart(before) : state;
    }
    case 'answer': {
      const yields = before.tags.has('waiting') && !isLower && state !== 'rejoining';
      return yields ? 'yielding' : state;
    }
    case 'coordinator':
      if (state === 'rejoining' || termIn(message) < term) return state;
      return knowledgeOf(after).suspected.includes(from) ? 'electing' : 'follower';
    default:
      return state;
  }
}

/** BU1–BU5, BU7, BU8, BU10: the next state. */
function nextState(step: NodeStep): string {
  const { before, cause } = step;
  const { state } = knowledgeOf(before);
  if (cause.kind === 'timeout') return afterTimeout(step, cause.timer);
  if (cause.kind === 'message') return afterMessage(step, cause.message, cause.from);
  const begins = cause.kind === 'command' && (state === 'asleep' || state === 'follower');
  return begins ? stateAtStart(before) : state;
}

/**
 * Whether a term of this node begins: another one while it leads only if it hears of a later one.
 */
const becomesLeader = ({ before, after, cause }: NodeStep): boolean => {
  if (!after.tags.has('leader')) return false;
  const { term } = knowledgeOf(before);
  const hearsLater = cause.kind === 'message' && termIn(cause.message) > term;
  return !before.tags.has('leader') || (hearsLater && knowledgeOf(after).term > term);
};

/** The latest term that the node knows when it has the message of a step. */
const heardIn = ({ before, cause }: NodeStep): number =>
  Math.max(knowledgeOf(before).term, cause.kind === 'message' ? termIn(cause.message) : 0);

/** BU11: whether a node has an announcement of an earlier term, and has not just restarted. */
const isOutdated = ({ before, cause }: NodeStep): boolean =>
  knowledgeOf(before).state !== 'rejoining' &&
  cause.kind === 'message' &&
  cause.message.type === 'coordinator' &&
  termIn(cause.message) < knowledgeOf(before).term;

/** BU1–BU4, BU6–BU8, BU11: the replies, questions and announcements of a step. */
function messagesOf(step: NodeStep): readonly string[] {
  const { before, after, cause } = step;
  const [was, is] = [knowledgeOf(before).state, knowledgeOf(after).state];
  if (cause.kind === 'message' && isOutdated(step))
    return [`election ${cause.from} ${knowledgeOf(before).term}`];
  const asked = cause.kind === 'message' && cause.message.type === 'election' ? [cause.from] : [];
  const leads = was === 'leader' && asked.some((id) => id < before.id);
  const isNew = becomesLeader(step);
  const { term } = knowledgeOf(after);
  // the largest node answers before it leads
  const answers = asked.map((id) => `answer ${id} ${isNew ? heardIn(step) : term}`);
  const reply = leads ? (isNew ? [] : asked.map((id) => `coordinator ${id} ${term}`)) : answers;
  const questions =
    is === 'electing' && was !== 'electing'
      ? peers(after, 'higher').map((id) => `election ${id} ${term}`)
      : [];
  const announcements = isNew ? peers(after, 'lower').map((id) => `coordinator ${id} ${term}`) : [];
  return [...reply, ...questions, ...announcements];
}

/** BU4: the first own term of a later round. */
function ownTerm(node: NodeView, heard: number): number {
  const above = peers(node, 'higher').length;
  const n = peers(node, 'lower').length + 1 + above;
  return n * (1 + Math.floor(heard / n)) + above;
}

/**
 * BU4, BU5, BU7, BU9: the term after a step. Only a node that follows or leads does not look at the
 * term of each message.
 */
function nextTerm(step: NodeStep): number {
  const { before, after, cause } = step;
  const { state, term } = knowledgeOf(before);
  const heard = heardIn(step);
  const isDecided = state === 'follower' || state === 'leader';
  const isUnchanged =
    isDecided &&
    knowledgeOf(after).state === state &&
    knowledgeOf(after).leader === knowledgeOf(before).leader;
  const isAnnounced = cause.kind === 'message' && cause.message.type === 'coordinator';
  if (becomesLeader(step)) return ownTerm(after, heard);
  return isUnchanged && !isAnnounced ? term : heard;
}

const rules: readonly Property[] = [
  everyStep(
    'each step leads to the state that its rule names',
    (step) => knowledgeOf(step.after).state === nextState(step),
  ),
  everyStep(
    'each step sends the replies, questions and announcements that its rule names, once, and nothing else',
    (step) => {
      const own = step.sent.filter(({ message }) => message.type !== 'detector-heartbeat');
      const sent = own.map(({ to, message }) => `${message.type} ${to} ${termIn(message)}`);
      return sent.sort().join() === [...messagesOf(step)].sort().join();
    },
  ),
  everyStep(
    'a node takes the latest term that it hears of, and a new leader takes its first term of a later round',
    (step) => knowledgeOf(step.after).term === nextTerm(step),
  ),
  everyStep(
    'a node knows a leader exactly while it follows or leads: the sender of the last announcement that it followed, or itself',
    (step) => {
      const { before, after, cause } = step;
      const { state, leader } = knowledgeOf(after);
      if (state === 'leader') return leader === after.id;
      if (state !== 'follower') return leader === null;
      const isAnnounced =
        cause.kind === 'message' &&
        cause.message.type === 'coordinator' &&
        termIn(cause.message) >= knowledgeOf(before).term;
      return leader === (isAnnounced ? cause.from : knowledgeOf(before).leader);
    },
  ),
];

const termOf = ({ context }: NodeView): number => Number(context.term);

/** Heartbeats are not messages of the election. */
const isOfElection = ({ type }: AnyMessage): boolean =>
  type === 'election' || type === 'answer' || type === 'coordinator';

/**
 * A node's own terms: no other node leads in one of them. The first term of a round belongs to the
 * largest node.
 */
function isOwn(node: NodeView): boolean {
  const above = [node.context.higher].flat().length;
  return termOf(node) % ([node.context.lower].flat().length + 1 + above) === above;
}

/**
 * Election where a leader may be deposed. The first property rests on the time-out being longer
 * than the longest round trip.
 */
const properties: readonly Property[] = [
  always('at most one node is the leader', (system) => system.count('leader') <= 1),
  always('a leader leads in a term of its own', (system) => system.tagged('leader').every(isOwn)),
  everyStep(
    'a node that begins to lead takes a later term than it knew',
    ({ before, after }) =>
      before.tags.has('leader') || !after.tags.has('leader') || termOf(after) > termOf(before),
  ),
  always('all nodes that know a leader of the same term know the same one', (system) => {
    const leaders = new Map<number, unknown>();
    return system.tagged('decided').every((node) => {
      const known = leaders.get(termOf(node)) ?? node.context.leader;
      leaders.set(termOf(node), known);
      return known === node.context.leader;
    });
  }),
  always('a node that is the leader knows itself as the leader', (system) =>
    system.tagged('leader').every((node) => node.context.leader === node.id),
  ),
  always('a node knows only a leader that is itself or larger', (system) =>
    system
      .tagged('decided')
      .every(({ id, context: { leader } }) => typeof leader === 'string' && leader >= id),
  ),
  always('a live node larger than the leader holds an election', (system) => {
    const [leader] = system.tagged('leader');
    return (
      !leader ||
      system.nodes.every((node) => node.id <= leader.id || node.crashed || node.tags.has('waiting'))
    );
  }),
  eventually(
    'every live node knows the one leader, or a node has crashed',
    (system) =>
      system.live < system.nodes.length ||
      (system.count('leader') === 1 && system.count('decided') === system.live),
  ),
  leadsTo(
    'a node that holds an election eventually knows a leader',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => tags.has('decided'),
  ),
  everyStep(
    'the term that a node knows does not fall',
    ({ before, after }) => termOf(after) >= termOf(before),
  ),
  everyStep(
    'a node that has sent a message waits until it knows the leader',
    ({ after, sent }) =>
      !sent.some(({ message }) => isOfElection(message)) ||
      after.tags.has('waiting') ||
      after.tags.has('decided'),
  ),
  everyStep(
    'a node that waits keeps waiting until it knows the leader',
    ({ before, after }) =>
      !before.tags.has('waiting') || after.tags.has('waiting') || after.tags.has('decided'),
  ),
  ...rules,
  sometimes('a node is the leader', (system) => system.count('leader') === 1),
];

export type { Command, Options };

type Cost = NonNullable<Protocol['cost']>;

/** Of one `elect`. Several nodes that start at once cost no more than one. */
const electionCost: Cost = {
  per: 'election',
  formula: 'n−1 … n²−1',
  messages: (n) => ({ least: n - 1, most: n * n - 1 }),
};

/** Without a command: each node asks all others, and each is answered. */
const startCost: Cost = {
  per: 'run',
  formula: '(2n+1)(n−1)',
  remark: 'if all nodes start at once, and no command follows',
  messages: (n) => ({ least: (2 * n + 1) * (n - 1), most: (2 * n + 1) * (n - 1) }),
};

const messages: ProtocolDefinition<Message, Command>['messages'] = {
  election: {
    fields: ['term'],
    counters: ['term'],
    meaning:
      'asks whether the receiver lives, and, from a restarted node, for the term; tells a leader of a later term',
  },
  answer: {
    fields: ['term'],
    counters: ['term'],
    meaning: 'the sender lives, and knows this term',
  },
  coordinator: {
    fields: ['term'],
    counters: ['term'],
    meaning: 'the sender is the leader of this term',
  },
};

/**
 * B1: the bully algorithm of Garcia-Molina.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example bully({ timeout: 500 })
 */
export function bully(options: Options = {}): Protocol<Command> {
  const {
    timeout = 250,
    electAtStart = false,
    detector = false,
    period = 100,
    silence = 200,
  } = validOptions('bully', bullyOptions, options);
  const detecting = heartbeat({ period, timeout: silence });
  const watch = { period, timeout: silence, growth: 0, longest: silence };
  return defineProtocol<Message, Command>({
    id: 'B1',
    name: 'bully',
    title: 'Bully election',
    problem: 'election',
    citation:
      'H. Garcia-Molina: Elections in a Distributed Computing System. IEEE Transactions on Computers C-31:1, 1982',
    topology: needs.complete,
    channels: {
      order: 'any',
      loss: false,
      duplication: false,
      time: { kind: 'exact', delay: [50, 100] },
    },
    tolerates: ['crash', 'restart'],
    succession: {
      bindsFor: 0,
      fields: (kept) => ({ term: Math.max(...kept.map(({ term }) => Number(term))) }),
    },
    roles: {
      node: {
        machine: detector ? detectingMachine : machine,
        input: (self, { nodes }) => {
          const lower = nodes.filter((id) => id < self);
          const higher = nodes.filter((id) => id > self);
          const own = { self, lower, higher, timeout, hasRun: electAtStart, term: 0 };
          return detector
            ? { ...own, detector: { watchers: lower, watched: higher, ...watch } }
            : own;
        },
        stable: ['hasRun', 'term'],
        counters: ['term'],
      },
    },
    options: { timeout, electAtStart, ...(detector ? { detector, period, silence } : {}) },
    times: {
      ...timers({ timeout }),
      ...(detector ? watchTimes('silence', watch) : {}),
    },
    messages: { ...messages, ...(detector ? partShapes('detector', detecting.messages) : {}) },
    commands,
    properties,
    cost: electAtStart ? startCost : electionCost,
    perpetual: detector,
  });
}
