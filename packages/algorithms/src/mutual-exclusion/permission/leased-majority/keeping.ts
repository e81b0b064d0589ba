/**
 * The option `keep`: the lease outlives the stay. A client that leaves keeps its votes, and enters
 * again without a message. Rules LQ15–LQ17, and GR1–GR3 for `greedy`: README.md
 */
import {
  always,
  everyStep,
  leadsTo,
  type Property,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import { type AnyStateMachine, and, not, or, stateIn } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { isCommanded, stepsOf } from '../../../steps.js';
import { type Command, inCriticalSection } from '../../mutual-exclusion.js';
import { favoursIn } from '../../token/building-blocks/greedy.js';
import { actionOf, node, othersWait, ownerOf, tell } from './actions.js';
import {
  answersOfHolder,
  idle,
  initialContext,
  member,
  stopwatch,
  voter,
  waiting,
} from './leased-majority.js';
import {
  type Context,
  type Message,
  type PlainMessage,
  shapeWith,
  type Try,
  votersOf,
} from './node.js';
import { hasLock, isDue, keepsVotes, stateOfRegion, stays } from './properties.js';

const keeper = member.extend({
  guards: {
    hasLock: or([stateIn({ client: 'held' }), stateIn({ client: 'keeping' })]),
    isKeeping: stateIn({ client: 'keeping' }),
    mustYield: or(['othersWait', 'blockIsUsed', stateIn({ tenure: 'over' })]),
  },
});
const lacksMajority = not('thisRoundCounts');

export const back = {
  target: 'idle',
  actions: ['noteExit', 'returnVotes', 'forgetVotes', 'forgetEntries', 'stopStopwatches'],
} as const;

export const held = keeper.createStateConfig({
  tags: 'critical',
  always: {
    guard: 'isUnproved',
    target: 'idle',
    actions: ['reportLoss', ...back.actions],
    description: 'LQ4',
  },
  on: {
    ...answersOfHolder,
    renew: [
      {
        guard: 'thisRoundCounts',
        actions: ['nextRound', 'startStopwatch', 'request'],
        description: 'LQ2',
      },
      { actions: 'request', description: 'LQ2' },
    ],
    release: [
      { guard: 'mustYield', ...back, description: 'LQ5' },
      { target: 'keeping', description: 'LQ15' },
    ],
  },
});

export const keeping = keeper.createStateConfig({
  always: { guard: or(['isUnproved', 'mustYield']), ...back, description: 'LQ16' },
  on: {
    acquire: { target: 'held', actions: 'countEntry', description: 'LQ15' },
    yield: { ...back, description: 'LQ17' },
    vote: [
      { guard: 'isCurrent', actions: 'takeVote', description: 'LQ3' },
      { actions: 'returnThisVote', description: 'LQ7' },
    ],
    inquire: [
      { guard: 'isCurrent', ...back, description: 'LQ16' },
      { actions: 'returnThisVote', description: 'LQ7' },
    ],
    refused: { description: 'LQ6: it has the lock' },
    renew: [
      { guard: lacksMajority, ...back, description: 'LQ16' },
      { actions: ['nextRound', 'startStopwatch', 'request'], description: 'LQ15' },
    ],
  },
});

/** Counts on from entry to entry; one that each entry started anew would never end. */
export const renewals = keeper.createStateConfig({
  initial: 'off',
  states: {
    off: { always: { guard: 'hasLock', target: 'running', description: 'LQ15' } },
    running: {
      on: { stopped: 'off' },
      after: {
        renewal: { target: 'running', reenter: true, actions: 'renew', description: 'LQ15' },
      },
    },
  },
});

/** The time since the client has left first with its votes. */
export const tenure = keeper.createStateConfig({
  initial: 'off',
  states: {
    off: { always: { guard: 'isKeeping', target: 'running', description: 'LQ16' } },
    running: {
      on: { stopped: 'off' },
      after: { keep: { target: 'over', description: 'LQ16' } },
    },
    over: { on: { stopped: 'off' } },
  },
});

export const keepingMachine = keeper.createMachine({
  id: 'keeping-leased-majority',
  context: ({ input }) => ({ ...initialContext({ input }), again: 0 }),
  type: 'parallel',
  states: {
    client: { initial: 'idle', states: { idle, waiting, held, keeping } },
    even: stopwatch('even'),
    odd: stopwatch('odd'),
    renewals,
    tenure,
    voter,
  },
});

export const first = keeper.extend({
  actions: {
    countFavour: keeper.assign(({ context: { favours = 0 } }) => ({ favours: favours + 1 })),
    forgetEntries: keeper.assign({ again: 0, favours: 0 }),
  },
  guards: {
    hasFavour: ({ context: { favours = 0, greedy = 0 } }) => favours < greedy,
    mayStay: and(['othersWait', 'hasFavour', not('blockIsUsed'), not(stateIn({ tenure: 'over' }))]),
  },
  delays: { turn: 0 },
});

/** The option `greedy`: others wait, and the client keeps its votes for one turn of its host. */
export const staying = first.createStateConfig({
  always: { guard: 'isUnproved', ...back, description: 'LQ16' },
  on: {
    acquire: { target: 'held', actions: ['countEntry', 'countFavour'], description: 'GR2' },
    yield: { ...back, description: 'LQ17' },
    ...answersOfHolder,
    renew: { description: 'LQ15: the votes go back in a moment' },
  },
  after: { turn: { ...back, description: 'GR3' } },
});

/** What a holder with `greedy` does when its application releases. */
export const greedyRelease = [
  { guard: 'mayStay', target: 'staying', description: 'GR1' },
  ...held.on.release,
] as const;

/** The machine with `greedy`, of one with `keep`. */
export const greedyKeepingMachine = first.createMachine({
  id: 'greedy-leased-majority',
  context: ({ input }) => ({ ...initialContext({ input }), again: 0, favours: 0 }),
  type: 'parallel',
  states: {
    client: {
      initial: 'idle',
      states: {
        idle,
        waiting,
        held: { ...held, on: { ...held.on, release: greedyRelease } },
        keeping,
        staying,
      },
    },
    even: stopwatch('even'),
    odd: stopwatch('odd'),
    renewals,
    tenure,
    voter,
  },
});

// Properties of the options `keep` and `greedy`.

const { contextOf, receivedIn, sentIn } = stepsOf<Message | Try, Context>();

/** The properties of the option `keep`. */
export const keepRules: readonly Property[] = [
  always(
    'the renewals of a client run while it has the lock, and the time of `keep` from when it has left first',
    ({ nodes }) =>
      nodes.every((node) => {
        if (node.crashed) return true;
        const [renewals, tenure] = [stateOfRegion(node, 'renewals'), stateOfRegion(node, 'tenure')];
        if (!hasLock(node))
          return renewals === 'off' && tenure === 'off' && (contextOf(node).again ?? 0) === 0;
        return (
          renewals === 'running' &&
          (stateOfRegion(node, 'client') !== 'keeping' || tenure === 'running')
        );
      }),
  ),
  everyStep(
    'a node that releases keeps its votes, unless another one waits, `keep` has passed, or its block is used',
    (step) => {
      if (!isCommanded('release', step)) return true;
      const { again = 0, block = 1 } = contextOf(step.before);
      const mustYield =
        othersWait({ context: contextOf(step.before) }) ||
        contextOf(step.before).change != null ||
        stateOfRegion(step.before, 'tenure') === 'over' ||
        again + 1 >= block;
      return mustYield || keepsVotes(step.after);
    },
  ),
  everyStep(
    'when `keep` has passed, a node keeps its votes no longer than a turn',
    (step) =>
      !isDue(step, 'keep') ||
      ((!keepsVotes(step.after) || stays(step.after)) &&
        (stateOfRegion(step.after, 'tenure') === 'over' || !hasLock(step.after))),
  ),
  everyStep(
    'a node that keeps its votes enters again at once, without a message, with the next token of its block',
    (step) => {
      if (!isCommanded('acquire', step) || !keepsVotes(step.before)) return true;
      const [last = 0, next = 0] = [step.before, step.after].map((node) => contextOf(node).again);
      return (
        inCriticalSection(step.after) &&
        step.sent.length === 0 &&
        next === last + 1 &&
        next < (contextOf(step.after).block ?? 0)
      );
    },
  ),
  everyStep(
    'only a node that releases begins to keep its votes',
    (step) => !keepsVotes(step.after) || keepsVotes(step.before) || isCommanded('release', step),
  ),
  everyStep(
    'a node that yields, or whose ballot is inquired of while it keeps its votes, keeps them no longer',
    (step) => {
      const inquired = receivedIn(step, 'inquire');
      const isAsked =
        isCommanded('yield', step) ||
        (inquired?.ballot === contextOf(step.before).ballot && !stays(step.before));
      return !isAsked || !keepsVotes(step.before) || !keepsVotes(step.after);
    },
  ),
  always('no node keeps its votes while the request of another node waits at it', ({ nodes }) =>
    nodes.every(
      (node) => !keepsVotes(node) || stays(node) || !othersWait({ context: contextOf(node) }),
    ),
  ),
  leadsTo(
    'a node that keeps its votes eventually enters again or returns them',
    keepsVotes,
    (node) => !keepsVotes(node),
    { vacuous: 'its block has one token' },
  ),
];

/** The properties of the option `greedy`. */
export const greedyRules = (greedy: number): readonly Property[] => [
  favoursIn(greedy),
  everyStep(
    'a node that leaves while others wait keeps its votes for a turn only if it may enter before them',
    (step) => {
      if (!isCommanded('release', step)) return stays(step.before) || !stays(step.after);
      const { favours = 0 } = contextOf(step.before);
      const waited = othersWait({ context: contextOf(step.before) });
      return stays(step.after) ? waited && favours < greedy : !waited || !keepsVotes(step.after);
    },
  ),
  everyStep(
    'a node that keeps its votes for a turn keeps them until it ends, unless it enters, yields or loses them',
    (step) => {
      const { before, after, cause } = step;
      const ends = ['acquire', 'yield', 'revoke'].some((type) => isCommanded(type, step));
      if (!stays(before) || ends || receivedIn(step, 'revoked')) return true;
      if (isDue(step, 'turn')) return !stays(after);
      if (cause.kind === 'timeout') return true; // its lease may be over
      const { ballot } = contextOf(before);
      return (
        stays(after) && sentIn(step, 'released').every(({ message }) => message.ballot !== ballot)
      );
    },
  ),
  everyStep('a node counts each entry before others that wait', (step) => {
    const [last = 0, next = 0] = [step.before, step.after].map((node) => contextOf(node).favours);
    if (isCommanded('acquire', step) && stays(step.before)) return next === last + 1;
    return hasLock(step.after) ? next === last : next === 0;
  }),
];

// The option `keep` with `servers` or `voters`: a client that does not vote sees no requests of
// others, so the voters tell it. Rule LQ23: README.md

type Definition = ProtocolDefinition<PlainMessage, Command>;

/** The client that has the vote, where it does not vote itself. */
function toldOf(context: Context): readonly string[] {
  if (context.vote === 0) return [];
  const owner = ownerOf(context, context.vote);
  return votersOf(context).includes(owner) ? [] : [owner];
}

/** A vote of no round renews nothing. */
// LQ23
const tellWanted = tell(
  ({ context }) => toldOf(context),
  ({ context: { vote, client } }) => ({
    ...{ type: 'vote', ballot: vote, round: 0, wanted: true },
    ...(client !== undefined && { ticket: 0 }),
  }),
);

export function telling(of: AnyStateMachine): AnyStateMachine {
  const enqueue = node.enqueueActions(({ enqueue: then }) => {
    then(actionOf(of, 'enqueue'));
    then(tellWanted);
  });
  return extend(`telling-${of.id}`, of.provide({ actions: { enqueue } }), {}, { wanted: false });
}

const tells = everyStep(
  'a voter whose vote a client has that does not vote tells it when a request waits',
  (step) => {
    const request = receivedIn(step, 'request', 'try');
    const { vote, queue } = contextOf(step.after);
    if (!request || sentIn(step, 'refused').length > 0) return true;
    if (!queue.some(({ ballot }) => ballot === request.ballot)) return true;
    return toldOf(contextOf(step.after)).every((owner) =>
      sentIn(step, 'vote').some(
        ({ to, message }) => to === owner && message.ballot === vote && message.wanted === true,
      ),
    );
  },
);

const learns = everyStep('a client that is told that others wait knows it', (step) => {
  const { before, after } = step;
  const vote = receivedIn(step, 'vote');
  const isOwn = vote?.ballot === contextOf(before).ballot && contextOf(after).round > 0;
  return !vote?.wanted || !isOwn || contextOf(after).wanted === true;
});

export function withWanted(definition: Definition): Definition {
  const { vote } = definition.messages;
  return {
    ...definition,
    messages: {
      ...definition.messages,
      vote: shapeWith(vote, ['wanted'], '`wanted`: other requests wait for it'),
    },
    properties: [...definition.properties, tells, learns],
  };
}
