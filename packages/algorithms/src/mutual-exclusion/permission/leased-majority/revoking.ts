/**
 * The option `revoke`: an operator takes the lock away, at any node. All ballots so far are below
 * the floor from then on, and the client that has the lock by one of them leaves. Rules RV1–RV4:
 * README.md
 */
import {
  everyStep,
  type NodeView,
  notify,
  type Property,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import { type AnyStateMachine, assertEvent } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { isCommanded, stepsOf } from '../../../steps.js';
import { type Command, inCriticalSection } from '../../mutual-exclusion.js';
import { type Given, node, tell } from './actions.js';
import { member } from './leased-majority.js';
import {
  type Context,
  type LeaseCommand,
  type Message,
  type PlainMessage,
  stampIn,
  votersOf,
} from './node.js';
import { hasLock } from './properties.js';
import { tellWithTicket, ticketIn } from './serving.js';

const none = { floor: 0, reason: '' };

/** With `servers`, clients get a ticket with each answer. */
const answer: typeof tell = (whom, what) =>
  node.enqueueActions(({ context, enqueue }) => {
    enqueue((context.client === undefined ? tell : tellWithTicket)(whom, what));
  });

const noteRevocation = member.assign(({ context: { revoked = none }, event }) => {
  assertEvent(event, 'revoked');
  const { floor, reason } = event;
  return floor > revoked.floor ? { revoked: { floor, reason } } : {};
});

/** With `servers`: the client that has the vote hears of it from the voter alone. */
const noteAndTell = node.enqueueActions(({ context: { client, vote }, event, enqueue }) => {
  assertEvent(event, 'revoked');
  const { floor, reason } = event;
  enqueue(noteRevocation);
  if (client && vote < floor)
    enqueue(
      answer(
        () => [client],
        () => ({ type: 'revoked', floor, reason }),
      ),
    );
});

const implementations = {
  actions: {
    revoke: answer(
      ({ context }) => context.nodes,
      ({ context, event }): Message => {
        assertEvent(event, 'revoke');
        return { type: 'revoked', floor: context.largest + 1, reason: event.reason };
      },
    ),
    noteRevocation,
    tellRevocation: answer(
      ({ event }) => ('from' in event ? [event.from] : []),
      ({ context: { revoked = none } }): Message => ({ type: 'revoked', ...revoked }),
    ),
    reportRevocation: member.emit(({ event }) => {
      assertEvent(event, 'revoked');
      return notify({ type: 'lost', reason: 'revoked', why: event.reason });
    }),
  },
  guards: {
    /** A client of servers takes no ticket twice. */
    isRevoked: ({ context, event }: Given) =>
      event.type === 'revoked' &&
      event.floor > context.ballot &&
      (context.reserve === undefined || ticketIn(event) > context.largest),
    isOfRevoked: ({ context, event }: Given) =>
      (event.type === 'request' || event.type === 'try') &&
      event.ballot > 0 &&
      event.ballot < (context.revoked ?? none).floor &&
      numberIn(event) >= numberIn(context),
  },
};

const numberIn = (of: object): number => stampIn(of).configuration?.number ?? 0;

const revoker = member.extend(implementations);

const revoke = { actions: 'revoke', description: 'RV1' } as const;
const others = { description: 'RV2: it has no ballot below the floor' } as const;
const leave = ['noteExit', 'returnVotes', 'forgetVotes', 'stopStopwatches'] as const;
const isTaken = { guard: 'isRevoked', target: 'idle', description: 'RV2' } as const;

const idle = revoker.createStateConfig({ on: { revoke, revoked: others } });

const waiting = revoker.createStateConfig({
  on: {
    revoke,
    revoked: [
      {
        guard: 'isRevoked',
        target: 'waiting',
        reenter: true,
        actions: ['stopStopwatches', 'takeBallot', 'nextRound', 'startStopwatch', 'request'],
        description: 'RV3',
      },
      others,
    ],
  },
});

const held = revoker.createStateConfig({
  on: { revoke, revoked: [{ ...isTaken, actions: ['reportRevocation', ...leave] }, others] },
});

const heldWithKeep = revoker.createStateConfig({
  on: {
    revoke,
    revoked: [{ ...isTaken, actions: ['reportRevocation', ...leave, 'forgetEntries'] }, others],
  },
});

const keeping = revoker.createStateConfig({
  on: { revoke, revoked: [{ ...isTaken, actions: [...leave, 'forgetEntries'] }, others] },
});

const request = {
  guard: 'isOfRevoked',
  actions: ['learn', 'tellRevocation'],
  description: 'RV4',
} as const;
const voting = revoker.createStateConfig({
  on: {
    revoked: { actions: ['learn', 'noteRevocation'], description: 'RV4' },
    request,
  },
});
const serving = revoker.createStateConfig({ on: { ...voting.on, try: request } });

/** With what its other options have added to it. */
export function revocable(of: AnyStateMachine): AnyStateMachine {
  const { client, voter } = of.config.states ?? {};
  const keeps = client?.states?.keeping !== undefined;
  const added = {
    ...{ idle, waiting, held: keeps ? heldWithKeep : held },
    ...(keeps && { keeping }),
    ...(client?.states?.staying && { staying: keeping }),
  };
  const serves = voter?.states?.free?.on !== undefined && 'try' in voter.states.free.on;
  const votes = serves ? serving : voting;
  const machine = of.provide(implementations);
  return extend(
    `revocable-${of.id}`,
    serves ? machine.provide({ actions: { noteRevocation: noteAndTell } }) : machine,
    {
      client: { states: voter ? added : withoutRevoke(added) },
      ...(voter && { voter: { states: { free: votes, bound: votes } } }),
    },
    { revoked: none },
  );
}

/** A client does not see the requests of others: a revocation of its own might miss them. */
const withoutRevoke = (states: Readonly<Record<string, { readonly on: object }>>) =>
  Object.fromEntries(
    Object.entries(states).map(([name, { on }]) => [
      name,
      { on: Object.fromEntries(Object.entries(on).filter(([event]) => event !== 'revoke')) },
    ]),
  );

// What the option `revoke` adds to the protocol.

type Definition = ProtocolDefinition<Message, Command>;
type Revoke = Pick<ProtocolDefinition<Message, LeaseCommand>['commands'], 'revoke'>;

const { contextOf, receivedIn, sentIn } = stepsOf<Message, Context>();

const revokedBelow = (node: NodeView): number => contextOf(node).revoked?.floor ?? 0;

const rules: readonly Property[] = [
  everyStep(
    'a node that learns that its ballot is revoked leaves, and tells its application the reason',
    (step) => {
      const revoked = receivedIn(step, 'revoked');
      if (!revoked || !hasLock(step.before)) return true;
      if (revoked.floor <= contextOf(step.before).ballot) return hasLock(step.after);
      const told = step.notified.some((note) => 'why' in note && note.why === revoked.reason);
      return !hasLock(step.after) && told === inCriticalSection(step.before);
    },
  ),
  everyStep('a voter votes for no revoked ballot', (step) =>
    sentIn(step, 'vote').every(({ message }) => message.ballot >= revokedBelow(step.before)),
  ),
  everyStep(
    'a revocation goes to all, with a floor above each ballot that its node has seen',
    (step) => {
      if (!isCommanded('revoke', step)) return true;
      const sent = sentIn(step, 'revoked');
      const { nodes, largest } = contextOf(step.before);
      const told = new Set(sent.map(({ to }) => to).filter((to) => nodes.includes(to)));
      return (
        told.size === nodes.length - 1 &&
        sent.every(({ message }) => message.floor > largest) &&
        revokedBelow(step.after) > largest &&
        !hasLock(step.after)
      );
    },
  ),
  everyStep('a waiting client takes a new ballot when its ballot is revoked', (step) => {
    const revoked = receivedIn(step, 'revoked');
    if (!revoked || !step.before.tags.has('waiting')) return true;
    const { ballot: was, largest, reserve } = contextOf(step.before);
    const is = contextOf(step.after).ballot;
    const isCopy = reserve !== undefined && (revoked.ticket ?? 0) <= largest;
    return revoked.floor > was && !isCopy ? is >= revoked.floor : is === was;
  }),
  everyStep(
    'what is revoked stays revoked',
    ({ before, after }) =>
      revokedBelow(after) >= revokedBelow(before) && contextOf(after).floor >= revokedBelow(after),
  ),
];

/** A node that does not vote has not seen all requests: its floor might be too low. */
const isVoter = (node: NodeView): boolean => votersOf(contextOf(node)).includes(node.id);

/** @param allVote whether each node votes, for good */
export function withRevoke(
  definition: ProtocolDefinition<PlainMessage, Command>,
  allVote: boolean,
): Definition {
  const commands: Definition['commands'] & Revoke = {
    ...definition.commands,
    revoke: {
      kind: 'optional',
      fields: ['reason'],
      meaning: 'an operator takes the lock away from the node that has it',
      examples: [{ reason: 'by hand' }],
      ...(!allVote && { when: isVoter }),
    },
  };
  return {
    ...definition,
    options: { ...definition.options, revoke: true },
    messages: {
      ...definition.messages,
      revoked: {
        fields: ['floor', 'reason'],
        counters: ['floor'],
        meaning: 'no smaller ballot than `floor` may enter, and who is inside by one leaves',
      },
    },
    commands,
    properties: [...definition.properties, ...rules],
  };
}
