import {
  always,
  alwaysEventually,
  defineProtocol,
  everyStep,
  type History,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands } from '../../election/election.js';
import { timers, validOptions } from '../../options.js';
import { receiversIn, sameIds, sentIn, stepsOf } from '../../steps.js';
import {
  type Message,
  machine,
  type Options,
  raftElectionOptions,
  timedMachine,
} from './raft-election.js';

/** What a node knows, and what it replies to the message of the step. */
interface Known {
  readonly state: unknown;
  readonly term: number;
  readonly votedFor: unknown;
  readonly votes: readonly NodeId[];
  readonly leader: unknown;
  readonly granted?: boolean | undefined;
}

const { contextOf, receivedIn } = stepsOf<Message, Known>();

const knownBy = (node: NodeView): Known => {
  const { term, votedFor, votes, leader } = contextOf(node);
  return { state: node.value, term, votedFor, votes, leader };
};

const termOf = (node: NodeView): number => knownBy(node).term;
const isMajority = (votes: number, { context }: NodeView): boolean =>
  2 * votes > [context.peers].flat().length + 1;

/** RF1–RF8: what a node knows after a step. */
function due(step: NodeStep): Known {
  const { before, cause } = step;
  const known = knownBy(before);
  const request = receivedIn(step, 'request-vote');
  const reply = receivedIn(step, 'reply');
  const entries = receivedIn(step, 'append-entries');
  if (request) return afterRequest(known, request.term, request.from);
  if (reply) return afterReply(known, reply, before);
  if (entries && entries.term < known.term) return { ...known, granted: false };
  if (entries) return { ...inTerm(known, entries.term), leader: entries.from };
  if (known.state === 'leader' || cause.kind === 'choice') return known;
  const stands = { term: known.term + 1, votedFor: before.id, votes: [before.id] };
  return isMajority(1, before)
    ? { state: 'leader', ...stands, leader: before.id }
    : { state: 'candidate', ...stands, leader: null };
}

/** A follower in a term that is not earlier. */
const inTerm = (known: Known, term: number): Known => ({
  ...known,
  state: 'follower',
  votes: [],
  ...(term > known.term && { term, votedFor: null, leader: null }),
});

function afterRequest(known: Known, term: number, from: NodeId): Known {
  if (term > known.term) return { ...inTerm(known, term), votedFor: from, granted: true };
  const mayVote = known.votedFor === null || known.votedFor === from;
  return known.state === 'follower' && term === known.term && mayVote
    ? { ...known, votedFor: from, granted: true }
    : { ...known, granted: false };
}

function afterReply(
  known: Known,
  { term, granted, from }: Extract<Message, { type: 'reply' }> & { readonly from: NodeId },
  node: NodeView,
): Known {
  if (term > known.term) return inTerm(known, term);
  if (known.state !== 'candidate' || !granted || term < known.term) return known;
  const votes = [...new Set([...known.votes, from])].sort();
  return isMajority(votes.length, node)
    ? { ...known, state: 'leader', votes, leader: node.id }
    : { ...known, votes };
}

/** The terms in which a node has led, also before a crash. */
const history: History<readonly number[]> = {
  initial: () => [],
  after: (terms, { after }) =>
    after.tags.has('leader') && !terms.includes(termOf(after)) ? [...terms, termOf(after)] : terms,
};

const termsLed = (node: NodeView): readonly number[] => node.history as readonly number[]; // as above

const oneLeader: Property = always(
  'no term has two leaders, not even one after the other',
  ({ nodes }) => {
    const terms = nodes.flatMap(termsLed);
    return new Set(terms).size === terms.length;
  },
);

const properties: readonly Property[] = [
  oneLeader,
  always('a known leader has led in the term of the node that knows it', ({ nodes }) =>
    nodes.every(({ crashed, context }) => {
      const led = nodes.find(({ id }) => id === context.leader);
      return crashed || led === undefined || termsLed(led).includes(Number(context.term));
    }),
  ),
  everyStep(
    'the term of a node only grows',
    ({ before, after }) => termOf(after) >= termOf(before),
  ),
  everyStep('a node stands, votes, replies, leads and follows as the rules say', (step) => {
    const { granted, ...known } = due(step);
    const now = knownBy(step.after);
    const replies = sentIn(step, 'reply').map(({ to, message }) => [
      to,
      message.term,
      message.granted,
    ]);
    const asked = step.cause.kind === 'message' ? step.cause.from : undefined;
    return (
      sameIds(now.votes, known.votes) &&
      (['state', 'term', 'votedFor', 'leader'] as const).every(
        (what) => now[what] === known[what],
      ) &&
      replies.join() === (granted === undefined ? '' : [asked, known.term, granted].join())
    );
  }),
  everyStep('a node asks all others when it stands, and tells all others when it leads', (step) => {
    const { before, after, cause } = step;
    const isLater = termOf(after) > termOf(before);
    const stands = isLater && after.context.votedFor === after.id;
    const leads =
      after.tags.has('leader') && (!before.tags.has('leader') || cause.kind === 'timeout');
    const inTerm = sentIn(step, 'request-vote', 'append-entries');
    return (
      sameIds(receiversIn(step, 'request-vote'), stands ? after.context.peers : []) &&
      sameIds(receiversIn(step, 'append-entries'), leads ? after.context.peers : []) &&
      inTerm.every(({ message }) => message.term === termOf(after))
    );
  }),
  sometimes('a node leads', (system) => system.count('leader') > 0),
];

/** With heartbeats. */
const settled: Property = alwaysEventually(
  'all live nodes know the one leader of the latest term',
  ({ nodes }) => {
    const [first, ...others] = nodes.filter(({ crashed }) => !crashed).map(knownBy);
    return (
      first !== undefined &&
      first.leader !== null &&
      others.every(({ leader, term }) => leader === first.leader && term === first.term)
    );
  },
);

export type { Command, Options };

/**
 * E5: the leader election of Raft.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example raftElection({ heartbeats: true })
 */
export function raftElection(options: Options = {}): Protocol<Command> {
  const {
    heartbeats = false,
    period = 100,
    timeout = 3 * period,
    spread = period,
  } = validOptions('raftElection', raftElectionOptions, options);
  return defineProtocol<Message, Command>({
    id: 'E5',
    name: 'raft-election',
    title: 'Leader election of Raft',
    problem: 'leader-of-a-term',
    citation:
      'D. Ongaro, J. Ousterhout: In Search of an Understandable Consensus Algorithm. USENIX Annual Technical Conference, 2014, 305–319, section 5.2',
    options: heartbeats ? { heartbeats, period, timeout, spread } : {},
    times: heartbeats ? timers({ period, timeout, spread }) : {},
    topology: needs.complete,
    channels: {
      order: 'any',
      loss: true,
      duplication: true,
      ...(heartbeats && { time: { kind: 'exact', delay: [0, period / 4] } }),
    },
    tolerates: ['crash', 'restart'],
    roles: {
      node: {
        machine: heartbeats ? timedMachine : machine,
        input: (self, { nodes }) => ({
          self,
          peers: nodes.filter((id) => id !== self),
          period,
          timeout: timeout + spread * nodes.indexOf(self),
          term: 0,
          votedFor: null,
        }),
        stable: ['term', 'votedFor'],
        counters: ['term'],
      },
    },
    messages: {
      'request-vote': {
        fields: ['term'],
        counters: ['term'],
        meaning: 'I stand in this term: vote for me',
      },
      'append-entries': { fields: ['term'], counters: ['term'], meaning: 'I lead in this term' },
      reply: {
        fields: ['term', 'granted'],
        counters: ['term'],
        meaning: 'this is my term; `granted`: you have my vote in it',
      },
    },
    commands,
    waiting: false,
    properties: heartbeats ? [...properties, settled] : properties,
    history,
    perpetual: heartbeats,
    ...(!heartbeats && {
      cost: {
        per: 'election',
        command: 'elect',
        formula: 'at most 4(n−1)',
        remark: '3(n−1) if one node stands',
        messages: (n: number) => ({ least: 0, most: 4 * (n - 1) }),
      },
    }),
  });
}
