/**
 * The option `voters`: some of the nodes vote, and the holder changes which. The change is decided
 * as by Paxos (Lamport, ACM TOCS 16:2, 1998), one instance for each configuration, whose first
 * phase is the lock itself; majorities of both configurations as in joint consensus (Ongaro,
 * Ousterhout: USENIX ATC 2014). Rules VC1–VC6: README.md
 */
import {
  always,
  ConclaveError,
  everyStep,
  type NodeId,
  type NodeView,
  notify,
  type Property,
  type ProtocolDefinition,
  type SystemView,
} from '@conclave/core/protocol';
import { and, not, or, stateIn } from 'xstate';
import { stepsOf } from '../../../steps.js';
import { type Command, inCriticalSection, waits } from '../../mutual-exclusion.js';
import {
  back,
  first,
  greedyRelease,
  held as keptHeld,
  keeping as plainKeeping,
  staying as plainStaying,
  renewals,
  tenure,
} from './keeping.js';
import {
  idle,
  initialContext,
  held as plainHeld,
  voter as plainVoter,
  waiting as plainWaiting,
  stopwatch,
} from './leased-majority.js';
import {
  type Change,
  type Configuration,
  type Context,
  type Event,
  electorateOf,
  isDecided,
  isKnown,
  type LeaseCommand,
  mayPropose,
  newVotersCount,
  type PlainMessage,
  type Stamp,
  shapeWith,
  stampIn,
  stampOf,
  votersOf,
} from './node.js';
import { uses } from './properties.js';

const ownNumber = ({ configuration }: Context): number => configuration?.number ?? 0;
const numberIn = (event: Event, context: Context): number =>
  stampIn(event).configuration?.number ?? ownNumber(context);

/** What a vote for its ballot tells a client of the change. */
function changeAfter(context: Context, event: Event): Change | null {
  const { change = null, ballot } = context;
  const { configuration, next } = stampIn(event);
  if (configuration?.number !== ownNumber(context) || !('from' in event)) return change;
  if (!change || change.phase === 'asked')
    return next && next.ballot > (change?.ballot ?? 0)
      ? { phase: 'asked', ...next, by: [] }
      : change;
  const answers =
    change.phase === 'proposed' ? next?.ballot === ballot : change.phase === 'decided';
  return answers
    ? { ...change, by: [...change.by.filter((id) => id !== event.from), event.from].sort() }
    : change;
}

const installed = (configuration: Configuration) => ({
  configuration,
  accepted: null,
});

const tenureIsOver = stateIn({ tenure: 'over' });

const changer = first.extend({
  actions: {
    install: first.assign(({ event }) => {
      const { configuration } = stampIn(event);
      return configuration ? { ...installed(configuration), change: null } : {};
    }),
    // who is no voter yet has not been requested
    ask: first.enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'change' || context.change) return;
      const change: Change = {
        phase: 'asked',
        ballot: context.ballot,
        voters: event.voters,
        by: [],
      };
      enqueue.assign({ change });
      if (!mayPropose({ ...context, change })) enqueue('request');
    }),
    takeAnswer: first.assign(({ context, event }) => ({ change: changeAfter(context, event) })),
    propose: first.assign(({ context: { change } }) =>
      change ? { change: { ...change, phase: 'proposed' } } : {},
    ),
    decide: first.assign(({ context }) => {
      const { change } = context;
      if (!change) return {};
      return {
        ...installed({ number: ownNumber(context) + 1, voters: change.voters }),
        change: { ...change, phase: 'decided', voters: votersOf(context), by: [] },
      };
    }),
    finish: first.assign(({ context: { change } }) =>
      change ? { change: { ...change, phase: 'known' } } : {},
    ),
    reportChange: first.emit(({ context }) =>
      notify({ type: 'changed', number: ownNumber(context), voters: votersOf(context) }),
    ),
    accept: first.assign(({ context, event }) => {
      const accepted = stampIn(event).next;
      return accepted ? { accepted, floor: Math.max(context.floor, accepted.ballot) } : {};
    }),
  },
  guards: {
    isOfLater: ({ context, event }) => numberIn(event, context) > ownNumber(context),
    isOfEarlier: ({ context, event }) => numberIn(event, context) < ownNumber(context),
    hasChange: ({ context: { change } }) => !!change,
    // LQ16: a change is its holder's, who makes one for each ballot
    mustYield: or(['othersWait', 'blockIsUsed', tenureIsOver, 'hasChange']),
    mayStay: and(['othersWait', 'hasFavour', not(or(['blockIsUsed', 'hasChange', tenureIsOver]))]),
    mayPropose: ({ context }) => mayPropose(context),
    isDecided: ({ context }) => isDecided(context),
    newVotersCount: ({ context }) => newVotersCount(context),
    isKnown: ({ context }) => isKnown(context),
    isSettled: ({ context: { change } }) =>
      change?.phase !== 'asked' && change?.phase !== 'proposed',
  },
});

const isWaiting = stateIn({ client: 'waiting' });
const later = { guard: 'isOfLater', actions: 'install', description: 'VC2' } as const;

/**
 * What a node knows of the voters, and what its client does for a change. It comes first: by what
 * it has taken over, the other regions act on the same event.
 */
const configuration = changer.createStateConfig({
  initial: 'known',
  states: {
    known: {
      always: [
        {
          // who keeps its votes returns them instead
          guard: and(['mayPropose', or([isWaiting, stateIn({ client: 'held' })])]),
          actions: ['propose', 'request'],
          description: 'VC4',
        },
        {
          guard: and(['isDecided', or([isWaiting, 'newVotersCount'])]),
          actions: ['decide', 'request'],
          description: 'VC5',
        },
        { guard: 'isKnown', actions: ['finish', 'reportChange'], description: 'VC6' },
      ],
      on: { request: later, vote: later, refused: later },
    },
  },
});

const onVote = [
  { guard: 'isCurrent', actions: ['takeVote', 'takeAnswer'], description: 'LQ3, VC1, VC4' },
  { actions: 'returnThisVote', description: 'LQ7' },
] as const;

const waiting = changer.createStateConfig({
  ...plainWaiting,
  always: {
    guard: and(['isProved', 'isSettled']),
    target: 'held',
    actions: 'noteEntry',
    description: 'LQ3, VC4',
  },
  on: { ...plainWaiting.on, vote: onVote },
});

const onChange = {
  actions: 'ask',
  description: 'VC3: one change for each ballot',
} as const;

const held = changer.createStateConfig({
  ...plainHeld,
  on: { ...plainHeld.on, vote: onVote, change: onChange },
});

const earlier = {
  guard: 'isOfEarlier',
  actions: ['learn', 'refuse'],
  description: 'VC2',
} as const;

const { free, bound } = plainVoter.states;
const [again, ...others] = bound.on.request;
const voter = changer.createStateConfig({
  initial: 'free',
  states: {
    free: { ...free, on: { ...free.on, request: [earlier, ...free.on.request] } },
    bound: {
      ...bound,
      on: {
        ...bound.on,
        request: [
          earlier,
          { ...again, actions: ['accept', 'learn', 'voteAgain'], description: 'LQ8, VC5' },
          ...others,
        ],
      },
    },
  },
});

const regions = { even: stopwatch('even'), odd: stopwatch('odd'), voter };

export const changingMachine = changer.createMachine({
  id: 'changing-leased-majority',
  context: ({ input }) => ({ ...initialContext({ input }), change: null }),
  type: 'parallel',
  states: {
    configuration,
    client: { initial: 'idle', states: { idle, waiting, held } },
    ...regions,
  },
});

// The options `voters` and `keep`: a holder that makes no change keeps its votes.

const heldOfKeeper = changer.createStateConfig({
  ...keptHeld,
  on: { ...keptHeld.on, vote: onVote, change: onChange },
});

const keeping = changer.createStateConfig({
  ...plainKeeping,
  on: { ...plainKeeping.on, vote: onVote },
});

const staying = changer.createStateConfig({
  ...plainStaying,
  always: { guard: or(['isUnproved', 'hasChange']), ...back, description: 'LQ16' },
  on: { ...plainStaying.on, vote: onVote },
});

/** With `keep`. */
export const changingKeepingMachine = changer.createMachine({
  id: 'changing-keeping-leased-majority',
  context: ({ input }) => ({ ...initialContext({ input }), change: null, again: 0, favours: 0 }),
  type: 'parallel',
  states: {
    configuration,
    client: { initial: 'idle', states: { idle, waiting, held: heldOfKeeper, keeping } },
    renewals,
    tenure,
    ...regions,
  },
});

/** With `keep` and `greedy`. */
export const changingGreedyMachine = changer.createMachine({
  id: 'changing-greedy-leased-majority',
  context: ({ input }) => ({ ...initialContext({ input }), change: null, again: 0, favours: 0 }),
  type: 'parallel',
  states: {
    configuration,
    client: {
      initial: 'idle',
      states: {
        idle,
        waiting,
        held: { ...heldOfKeeper, on: { ...heldOfKeeper.on, release: greedyRelease } },
        keeping,
        staying,
      },
    },
    renewals,
    tenure,
    ...regions,
  },
});

// The option `voters`, as a change of the protocol without it.

type Messages = ProtocolDefinition<PlainMessage, Command>['messages'];

const { contextOf, receivedIn, sentIn } = stepsOf<PlainMessage, Context>();

const configurationOf = (node: NodeView): Configuration =>
  contextOf(node).configuration ?? { number: -1, voters: [] };
const numberOf = (node: NodeView): number => configurationOf(node).number;

const phaseOf = (node: NodeView) => contextOf(node).change?.phase;

const stampedNumber = (message: object): number => stampIn(message).configuration?.number ?? -1;

const agree = (system: SystemView): boolean =>
  system.nodes.every((one) =>
    system.nodes.every(
      (other) =>
        numberOf(one) !== numberOf(other) ||
        configurationOf(one).voters.join() === configurationOf(other).voters.join(),
    ),
  );

const changeRules: readonly Property[] = [
  always('no two nodes know different voters of one configuration', agree),
  everyStep(
    'a node never goes back to an earlier configuration',
    ({ before, after }) => numberOf(after) >= numberOf(before),
  ),
  everyStep(
    'only a node that waits or has the lock decides a change',
    (step) =>
      numberOf(step.after) <= numberOf(step.before) ||
      stampedNumber(receivedIn(step, 'request', 'vote', 'refused') ?? {}) >= numberOf(step.after) ||
      waits(step.before) ||
      inCriticalSection(step.before) ||
      inCriticalSection(step.after), // the only voter enters at once
  ),
  everyStep('a voter does not vote for a request of an earlier configuration', (step) => {
    const request = receivedIn(step, 'request');
    if (!request || stampedNumber(request) >= numberOf(step.before)) return true;
    return sentIn(step, 'vote').every(({ to }) => to !== request.from);
  }),
  everyStep('a node that gets a message of a later configuration knows it from then on', (step) => {
    const message = receivedIn(step, 'request', 'vote', 'refused');
    return !message || numberOf(step.after) >= stampedNumber(message);
  }),
  everyStep(
    'a node tells its application of a change when a majority of the new voters knows it',
    ({ before, after, notified }) =>
      notified.filter(({ type }) => type === 'changed').length ===
      (phaseOf(after) === 'known' && phaseOf(before) !== 'known' ? 1 : 0),
  ),
  always(
    'no client keeps back a change that it may propose or decide, or that is known',
    ({ nodes }) =>
      nodes.every((node) => {
        const context = contextOf(node);
        const decides = isDecided(context) && (waits(node) || newVotersCount(context));
        return node.crashed || !(mayPropose(context) || decides || isKnown(context));
      }),
  ),
  everyStep('a client that proposes or decides a change asks with it at once', (step) => {
    const { before, after } = step;
    const phase = phaseOf(after);
    if (phase === undefined || phase === 'asked' || phase === phaseOf(before)) return true;
    if (phase === 'known' && phaseOf(before) === 'decided') return true;
    const stamp = stampOf(contextOf(after), 'request');
    const says = ({ configuration, next }: Stamp = {}) => JSON.stringify({ configuration, next });
    return electorateOf(contextOf(after)).every(
      (id) =>
        id === after.id ||
        sentIn(step, 'request').some(
          ({ to, message }) => to === id && says(stampIn(message)) === says(stamp),
        ),
    );
  }),
  everyStep('a client that hears of an accepted proposal is asked to make it', (step) => {
    const { before, after } = step;
    const vote = receivedIn(step, 'vote');
    const { configuration, next } = stampIn(vote ?? {});
    if (!vote || !configuration || !next) return true;
    const { number } = configuration;
    if (!uses(before, vote.ballot) || number < numberOf(before)) return true;
    if (!uses(after, vote.ballot) || number < numberOf(after)) return true;
    const { change } = contextOf(after);
    return !!change && (change.phase !== 'asked' || change.ballot >= next.ballot);
  }),
  everyStep('a step decides one change at most', (step) => {
    const heard = stampedNumber(receivedIn(step, 'request', 'vote', 'refused') ?? {});
    return numberOf(step.after) <= Math.max(numberOf(step.before), heard) + 1;
  }),
];

const counted = ['configuration.number', 'next.ballot'] as const;

/** What these messages say beside what they say without the option. */
const stamped = ({ request, vote, refused }: Messages) => ({
  request: shapeWith(
    request,
    ['configuration', 'next'],
    'I know `configuration`, and propose `next`',
    counted,
  ),
  vote: shapeWith(
    vote,
    ['configuration', 'next'],
    'I know `configuration`, and have accepted `next` last',
    counted,
  ),
  refused: shapeWith(refused, ['configuration'], 'or its client does not know `configuration`', [
    'configuration.number',
  ]),
});

/** @throws {ConclaveError} `bad-input` for voters that are no nodes. */
function requireNodes(voters: readonly NodeId[], nodes: readonly NodeId[]): void {
  const stranger = voters.find((id) => !nodes.includes(id));
  if (stranger !== undefined)
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: the voter ${stranger} is none of the nodes ${nodes.join(', ')}`,
      'Name nodes as voters.',
    );
}

type Changing = Pick<ProtocolDefinition<PlainMessage, LeaseCommand>['commands'], 'change'>;

/** A19 with these voters at first. */
export function withVoters(
  definition: ProtocolDefinition<PlainMessage, Command>,
  voters: readonly NodeId[],
): ProtocolDefinition<PlainMessage, Command> {
  const { node } = definition.roles;
  const first = { number: 0, voters: [...voters] };
  if (!node) return definition;
  const input: typeof node.input = (self, topology) => {
    requireNodes(voters, topology.nodes);
    return { ...Object(node.input(self, topology)), configuration: first, accepted: null };
  };
  const stable = [...(node.stable ?? []), 'configuration', 'accepted'];
  const counters = [...(node.counters ?? []), 'configuration.number', 'accepted.ballot'];
  const commands: ProtocolDefinition<PlainMessage, Command>['commands'] & Changing = {
    ...definition.commands,
    change: {
      kind: 'optional',
      fields: ['voters'],
      meaning: 'the application of the holder changes the voters',
      when: (view) => inCriticalSection(view) && !contextOf(view).change,
      examples: [{ voters: first.voters.slice(1) }],
    },
  };
  return {
    ...definition,
    options: { ...definition.options, voters: first.voters },
    roles: { node: { ...node, input, stable, counters } },
    messages: { ...definition.messages, ...stamped(definition.messages) },
    commands,
    properties: [...definition.properties, ...changeRules],
  };
}
