import {
  type Message as AnyMessage,
  always,
  everyStep,
  type FencedProtocol,
  type NodeStep,
  type NodeView,
  type Property,
  type ProtocolDefinition,
  sometimes,
} from '@conclave/core/protocol';
import { ringWith, timers, validOptions } from '../../../options.js';
import { isCommanded, receivedIn, sentIn } from '../../../steps.js';
import { type CancellableCommand, defineLock } from '../../cancel.js';
import { type Command, commands, previousNode, propertiesWith } from '../../mutual-exclusion.js';
import { enters, nothingTwice, onlyToNext } from '../building-blocks/token.js';
import {
  cancellableElectingMachine,
  cancellableMachine,
  type ElectionMessage,
  electingMachine,
  epochOf,
  fenceOf,
  type Message,
  machine,
  type Options,
  type RingMessage,
  regeneratedTokenOptions,
} from './regenerated-token.js';

// Invariants of the regeneration of the token and of the candidacy: rules RT1–RT11.

const numberIn = (
  { context }: NodeView,
  field: 'seen' | 'entries' | 'madeBlindly' | 'blindRegenerations' | 'fence',
): number => Number(context[field]);
const isCoordinator = ({ tags }: NodeView): boolean => tags.has('coordinator');
const isInside = ({ tags }: NodeView): boolean => tags.has('critical');
const partOf = ({ value }: NodeView, region: string): unknown =>
  typeof value === 'object' ? value[region] : undefined;
const isAsking = (node: NodeView): boolean => partOf(node, 'regenerator') === 'asking';
/** The parts of the state that a token may change, apart from the end of the election. */
const tokenStateOf = (node: NodeView): readonly unknown[] => [
  ...['client', 'regenerator'].map((region) => partOf(node, region)),
  ...(['seen', 'entries', 'madeBlindly', 'fence'] as const).map((field) => numberIn(node, field)),
];

/** The token that a step receives, and whether it is of an earlier epoch than the node has seen. */
function tokenIn(step: NodeStep) {
  const token = receivedIn(step, 'token');
  if (!token) return undefined;
  const [epoch, entries] = [Number(token.epoch), Number(token.entries)];
  return { epoch, entries, isStale: epoch < numberIn(step.before, 'seen') };
}

type Sent = { readonly message: AnyMessage & Readonly<Record<string, unknown>> };
const isToken =
  (epoch: number, entries: number) =>
  ({ message }: Sent): boolean =>
    message.epoch === epoch && message.entries === entries;

/** Exactly one, with this property. */
const isOne = <T>(list: readonly T[], is: (item: T) => boolean = () => true): boolean =>
  list.length === 1 && list.every(is);

/** A time-out of the coordinator; candidates have time-outs as well. */
const isTimeOut = ({ cause, before }: NodeStep): boolean =>
  cause.kind === 'timeout' && cause.timer.includes('regenerator') && isCoordinator(before);

const epochsGrow = everyStep(
  'the latest epoch that a node has seen only grows',
  ({ before, after }) => numberIn(after, 'seen') >= numberIn(before, 'seen'),
);

const discardsStale = everyStep(
  'a node discards a token of an earlier epoch than it has seen, and changes nothing',
  (step) => {
    const { before, after, sent } = step;
    if (!tokenIn(step)?.isStale) return true;
    const [was, is] = [tokenStateOf(before), tokenStateOf(after)];
    return sent.length === 0 && was.every((part, index) => part === is[index]);
  },
);

const takenOrPassed = everyStep(
  'with any other token a waiting node enters, a node in its critical section keeps it, and all others pass it on unchanged',
  (step) => {
    const { before, after } = step;
    const token = tokenIn(step);
    if (!token || token.isStale) return true;
    if (numberIn(after, 'seen') !== token.epoch) return false;
    const passed = sentIn(step, 'token');
    if (before.tags.has('waiting')) return isInside(after) && passed.length === 0;
    if (!isInside(before)) return isOne(passed, isToken(token.epoch, token.entries));
    return (
      passed.length === 0 &&
      (token.epoch === numberIn(before, 'seen') || numberIn(after, 'entries') === token.entries)
    );
  },
);

const passedOn = everyStep(
  'a node that leaves passes on the token of the latest epoch that it has seen',
  (step) => {
    const { before } = step;
    if (!isCommanded('release', step) || !isInside(before)) return true;
    return isOne(
      sentIn(step, 'token'),
      isToken(numberIn(before, 'seen'), numberIn(before, 'entries')),
    );
  },
);

const countsEachEntry = everyStep(
  'each entry counts once on its token, and has its number',
  (step) => {
    const { after } = step;
    const token = tokenIn(step);
    if (!enters(step)) return true;
    return (
      numberIn(after, 'entries') === Number(token?.entries) + 1 &&
      numberIn(after, 'fence') === fenceOf(numberIn(after, 'seen'), numberIn(after, 'entries'))
    );
  },
);

const knowsToken = always('a coordinator has made a token, or seen one', (system) =>
  system
    .tagged('coordinator')
    .every((node) => numberIn(node, 'seen') > 0 && node.context.coordinator === true),
);

const stays = everyStep(
  'a coordinator remains one',
  ({ before, after }) => !isCoordinator(before) || isCoordinator(after),
);

/** The tokens that a step makes: those of a later epoch than the node knows. */
const madeIn = (step: NodeStep) => {
  const known = Math.max(numberIn(step.before, 'seen'), tokenIn(step)?.epoch ?? 0);
  return sentIn(step, 'token').filter(({ message }) => Number(message.epoch) > known);
};

const madeByOne = everyStep(
  'only the coordinator makes tokens, one at a time, each of the next epoch',
  (step) => {
    const made = madeIn(step);
    const next = numberIn(step.before, 'seen') + 1;
    return (
      made.length === 0 ||
      (isCoordinator(step.after) &&
        numberIn(step.after, 'seen') === next &&
        isOne(made, isToken(next, 0)))
    );
  },
);

const madeInTime = everyStep(
  'a coordinator makes a token only when it wins the election, when a time-out lets it, and when its inquiry returns',
  (step) => {
    const { before, after } = step;
    const mayRegenerate = numberIn(before, 'madeBlindly') < numberIn(before, 'blindRegenerations');
    const expected =
      (!isCoordinator(before) && isCoordinator(after)) ||
      (isTimeOut(step) && mayRegenerate && !isAsking(before)) ||
      (isAsking(before) && receivedIn(step, 'inquiry') !== undefined);
    return madeIn(step).length === (expected ? 1 : 0);
  },
);

const blindlyCounted = everyStep(
  'a coordinator counts the tokens that it makes without an inquiry, until a token comes',
  (step) => {
    const { before, after } = step;
    if (!isCoordinator(before)) return true;
    const [was, is] = [numberIn(before, 'madeBlindly'), numberIn(after, 'madeBlindly')];
    const token = tokenIn(step);
    if (token && !token.isStale && !isInside(before)) return is === 0;
    return is - was === (isTimeOut(step) && madeIn(step).length > 0 ? 1 : 0);
  },
);

const asksLast = always(
  'a coordinator inquires only after it has made as many tokens in a row as it may',
  (system) =>
    system
      .tagged('coordinator')
      .every(
        (node) =>
          !isAsking(node) || numberIn(node, 'madeBlindly') >= numberIn(node, 'blindRegenerations'),
      ),
);

const inquires = everyStep(
  'a coordinator that may make no more tokens inquires, and reports an inquiry that does not return',
  (step) => {
    const { before, after, notified } = step;
    if (!isCoordinator(before)) return notified.length === 0;
    const mustInquire = isTimeOut(step) && madeIn(step).length === 0;
    const reported = mustInquire && isAsking(before);
    return (
      sentIn(step, 'inquiry').length === (mustInquire ? 1 : 0) &&
      notified.length === (reported ? 1 : 0) &&
      isAsking(after) === (mustInquire || (isAsking(before) && isAsking(after)))
    );
  },
);

const handsInquiryOn = everyStep(
  'a node outside its critical section passes an inquiry on, and the inquiry ends at the coordinator',
  (step) => {
    const { before, after } = step;
    if (!receivedIn(step, 'inquiry')) return true;
    const passed = sentIn(step, 'inquiry').length;
    if (!isCoordinator(before)) return passed === (isInside(before) ? 0 : 1);
    return passed === 0 && !isAsking(after);
  },
);

const asksUntil = everyStep(
  'a coordinator stops inquiring only when the inquiry or a token comes',
  (step) => {
    const token = tokenIn(step);
    const comes = (token && !token.isStale) || receivedIn(step, 'inquiry') !== undefined;
    return !isAsking(step.before) || isAsking(step.after) === !comes;
  },
);

const waitsOutside = always(
  'a coordinator watches for the token exactly while it is outside its critical section',
  (system) =>
    system
      .tagged('coordinator')
      .every((node) => (partOf(node, 'regenerator') === 'inside') === isInside(node)),
);

const electionIn = (step: NodeStep) => sentIn(step, 'election-election', 'election-elected');

const candidacyEnds = everyStep(
  'a candidacy ends only with the first token, or when a time-out finds no candidate',
  (step) => {
    const [was, is] = [partOf(step.before, 'candidacy'), partOf(step.after, 'candidacy')];
    if (was === 'settled') return is === 'settled';
    const ends =
      receivedIn(step, 'token') !== undefined ||
      (isTimeOfCandidacy(step) && partOf(step.before, 'election') !== 'active');
    return is === (ends ? 'settled' : 'electing');
  },
);

const isTimeOfCandidacy = ({ cause }: NodeStep): boolean =>
  cause.kind === 'timeout' && cause.timer.includes('candidacy');

const candidatesRepeat = everyStep(
  'a candidate sends its own id again after a time-out, and no other node does',
  (step) => {
    if (!isTimeOfCandidacy(step)) return true;
    const isCandidate = partOf(step.before, 'election') === 'active';
    const sent = electionIn(step);
    return isCandidate
      ? isOne(sent, ({ message }) => message.id === step.before.id)
      : sent.length === 0;
  },
);

const candidacyRules: readonly Property[] = [candidacyEnds, candidatesRepeat];

/**
 * Otherwise a first token that lets in no node would pass unnoticed, since later ones make up for
 * it.
 */
const firstLetsIn = sometimes(
  'a node is in its critical section by a token of the first epoch',
  (system) => system.tagged('critical').some((node) => epochOf(numberIn(node, 'fence')) === 1),
);

const regenerationRules: readonly Property[] = [
  ...[epochsGrow, discardsStale, takenOrPassed, passedOn, countsEachEntry],
  ...[knowsToken, stays, madeByOne, madeInTime, blindlyCounted],
  ...[asksLast, inquires, handsInquiryOn, asksUntil, waitsOutside, firstLetsIn],
];

const areDifferent = (values: readonly number[]): boolean => new Set(values).size === values.length;

/** Mutual exclusion, as far as it holds if a time-out ends too early. */
const onePerEpoch: Property = always(
  'at most one node is in the critical section with a token of each epoch',
  (system) =>
    system.count('critical') <= 1 ||
    areDifferent(system.tagged('critical').map((node) => epochOf(numberIn(node, 'fence')))),
);

/** Uniqueness of the token, as far as it holds then. */
const oneTokenPerEpoch: Property = always(
  'each epoch has at most one token, in a node or on its way',
  (system) =>
    areDifferent([
      ...system.tagged('token').map(({ context }) => Number(context.seen)),
      ...system
        .inFlight('token')
        .map(({ message }) => ('epoch' in message ? Number(message.epoch) : 0)),
    ]),
);

/** The reason for it. */
const oneCoordinator: Property = always(
  'at most one node makes tokens, and no node knows a later epoch than it does',
  (system) => {
    const [coordinator, ...others] = system.tagged('coordinator');
    if (!coordinator) return true;
    return (
      others.length === 0 &&
      system.nodes.every(({ context }) => Number(context.seen) <= Number(coordinator.context.seen))
    );
  },
);

export type { CancellableCommand, Command, Options };

const fence = ({ context }: NodeView): number => Number(context.fence);

const definition: Omit<ProtocolDefinition<RingMessage, Command>, 'topology' | 'roles'> = {
  id: 'A14',
  name: 'regenerated-token',
  title: 'Loss and regeneration of the token',
  problem: 'mutual-exclusion',
  citation:
    'G. Le Lann: Distributed Systems, Towards a Formal Approach. IFIP Congress 1977, Toronto, pp. 155–160; F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000',
  channels: { order: 'any', loss: true, duplication: false },
  tolerates: ['crash', 'restart'],
  messages: {
    token: {
      fields: ['epoch', 'entries'],
      counters: ['epoch', 'entries'],
      meaning: 'the receiver may enter; `entries` so far in its epoch',
    },
    inquiry: { meaning: 'returns to the coordinator unless a node is in its critical section' },
  },
  commands,
  properties: [
    ...propertiesWith(onePerEpoch),
    oneTokenPerEpoch,
    oneCoordinator,
    ...regenerationRules,
    nothingTwice,
    onlyToNext,
  ],
  fence,
  waitsFor: previousNode,
  fenceCondition:
    'while every time-out is longer than the longest stay and the slowest message; otherwise there may be two tokens',
  cost: { per: 'entry', formula: '1 … ∞', messages: () => ({ least: 1, most: Infinity }) },
  perpetual: true,
};

const electionMessages: ProtocolDefinition<ElectionMessage, Command>['messages'] = {
  'election-election': { fields: ['id'], meaning: 'of the election: node `id` is a candidate' },
  'election-elected': { fields: ['id'], meaning: 'of the election: node `id` is the leader' },
};

/**
 * A14: the token ring with a coordinator that makes a new token when it has not seen one for too
 * long.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example regeneratedToken({ coordinator: 'a', timeout: 500 })
 */
export function regeneratedToken(options: Options = {}): FencedProtocol<CancellableCommand> {
  const {
    coordinator,
    timeout = 1000,
    blindRegenerations = 1,
    cancel = false,
  } = validOptions('regeneratedToken', regeneratedTokenOptions, options);
  const told = { timeout, blindRegenerations };
  const times = timers({ timeout });
  const channels = {
    ...definition.channels,
    time: { kind: 'exact', delay: [0, timeout / 10] },
  } as const;
  const stored = { stable: ['coordinator', 'seen'], counters: ['seen'] };
  if (coordinator === undefined)
    return defineLock<Message>(
      {
        ...definition,
        channels,
        times,
        properties: [...definition.properties, ...candidacyRules],
        options: told,
        topology: ringWith('coordinator', undefined),
        roles: {
          node: {
            machine: electingMachine,
            input: (self, topology) => {
              const next = topology.at(self, 'next') ?? self;
              return { self, next, coordinator: false, seen: 0, ...told, election: { self, next } };
            },
            ...stored,
          },
        },
        messages: { ...definition.messages, ...electionMessages },
      },
      cancel,
      cancellableElectingMachine,
    );
  return defineLock<RingMessage>(
    {
      ...definition,
      channels,
      times,
      options: { coordinator, ...told },
      topology: ringWith('coordinator', coordinator),
      roles: {
        node: {
          machine,
          input: (self, topology) => ({
            self,
            next: topology.at(self, 'next') ?? self,
            coordinator: self === coordinator,
            seen: 0,
            ...told,
          }),
          ...stored,
        },
      },
    },
    cancel,
    cancellableMachine,
  );
}
