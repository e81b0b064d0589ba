import {
  always,
  defineProtocol,
  everyStep,
  type FencedProtocol,
  type NodeStep,
  type NodeView,
  type Property,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { shortestLease, timers } from '../../../options.js';
import { isCommanded, stepsOf } from '../../../steps.js';
import { type CancellableCommand, fenced, withCancel } from '../../cancel.js';
import {
  type Command,
  type Contenders,
  commands,
  inCriticalSection,
  losableProperties,
  nodesIn,
  tokensGrow,
  waits,
} from '../../mutual-exclusion.js';
import {
  type ClientContext,
  cancellable,
  clockedStore,
  type Message,
  machine,
  type Options,
  provingStopwatches,
  type Row,
  type Settings,
  settingsOf,
  store,
} from './lease-in-one-row.js';

export type { CancellableCommand, Options };

const { contextOf, receivedIn, sentIn } = stepsOf<Message, ClientContext>();
const rowOf = ({ context }: NodeView): Row => context as unknown as Row; // of the store's machine
const isStore = ({ role }: Pick<NodeView, 'role'>): boolean => role === 'store';

const ofStore = (name: string, allows: (step: NodeStep) => boolean): Property =>
  everyStep(name, (step) => !isStore(step.after) || allows(step));
const ofClient = (name: string, allows: (step: NodeStep) => boolean): Property =>
  everyStep(name, (step) => isStore(step.after) || allows(step));

const isInside = always(
  'the row of a store that is up names the client in the critical section, with its token',
  ({ nodes }) => {
    const kept = nodes.find(isStore);
    if (!kept || kept.crashed) return true;
    const { holder, epoch } = rowOf(kept);
    return nodes.every(
      (node) => !inCriticalSection(node) || (node.id === holder && contextOf(node).epoch === epoch),
    );
  },
);

/** Of the row, step by step. */
const rowRules: readonly Property[] = [
  ofStore('the token of a row never falls, and grows with each entry and only then', (step) => {
    const [was, is] = [rowOf(step.before), rowOf(step.after)];
    if (is.epoch === was.epoch) return is.holder === was.holder || is.holder === '';
    return is.epoch > was.epoch && is.epoch === is.version && is.holder !== '';
  }),
  ofStore('the version of a row grows by one with each write, and only then', (step) => {
    const [was, is] = [rowOf(step.before), rowOf(step.after)];
    const isRenewed = receivedIn(step, 'renew') && sentIn(step, 'granted').length > 0;
    const isWritten = is.epoch !== was.epoch || is.holder !== was.holder || isRenewed;
    return is.version === was.version + (isWritten ? 1 : 0);
  }),
  ofStore('a client takes a row exactly if it is free, unchanged or its own', (step) => {
    const take = receivedIn(step, 'take');
    const { holder, version, round, epoch } = rowOf(step.before);
    const granted = rowOf(step.after).epoch !== epoch;
    if (!take) return !granted;
    const may =
      holder === '' || take.seen === version || (holder === take.from && take.round > round);
    return granted === may;
  }),
  ofStore('the store grants renewals only to the latest entry, and refuses all others', (step) => {
    const renewal = receivedIn(step, 'renew');
    const { holder, epoch } = rowOf(step.before);
    const isItsEntry = holder !== '' && renewal?.epoch === epoch;
    return (
      sentIn(step, 'refused').length === (renewal && !isItsEntry ? 1 : 0) &&
      (!renewal || sentIn(step, 'granted').length === (isItsEntry ? 1 : 0))
    );
  }),
  ofStore('a row becomes free exactly when its latest entry ends', (step) => {
    const [was, is] = [rowOf(step.before), rowOf(step.after)];
    const freed = receivedIn(step, 'freed');
    const ends = freed?.epoch === was.epoch || step.cause.kind === 'timeout';
    return was.holder === '' || (is.holder === '') === ends;
  }),
  ofStore(
    'the store answers each request at once, with its number or entry, and sends nothing else',
    (step) => {
      const request = receivedIn(step, 'take', 'renew');
      const { version, epoch } = rowOf(step.after);
      const [answer, ...more] = step.sent;
      if (!request || !answer) return !request && !answer;
      if (more.length > 0 || answer.to !== request.from) return false;
      const [refused] = sentIn(step, 'refused');
      if (refused) return 'epoch' in request && refused.message.epoch === request.epoch;
      return sentIn(step, 'granted', 'taken').every(
        ({ message }) =>
          message.round === request.round &&
          (message.type === 'granted' ? message.epoch === epoch : message.version === version),
      );
    },
  ),
];

/** Of a client, step by step. */
const clientRules: readonly Property[] = [
  ofClient(
    'a client enters only when the store grants its latest request, with the token of the row',
    (step) => {
      if (!inCriticalSection(step.after) || inCriticalSection(step.before)) return true;
      const granted = receivedIn(step, 'granted');
      const { round, epoch } = contextOf(step.after);
      return granted?.round === round && granted.epoch === epoch;
    },
  ),
  ofClient(
    'a client that leaves the critical section frees its row, unless another client has taken it',
    (step) => {
      const leaves = inCriticalSection(step.before) && !inCriticalSection(step.after);
      const isLate =
        receivedIn(step, 'granted') !== undefined &&
        !waits(step.before) &&
        !inCriticalSection(step.before);
      const epoch = isLate ? receivedIn(step, 'granted')?.epoch : contextOf(step.before).epoch;
      const frees = (leaves && receivedIn(step, 'refused') === undefined) || isLate;
      const sent = sentIn(step, 'freed');
      return frees ? sent.length === 1 && sent[0]?.message.epoch === epoch : sent.length === 0;
    },
  ),
  ofClient(
    'a client takes the row when it wants to enter, and renews it while it is inside',
    (step) => {
      const { cause, before, after } = step;
      const ticks = cause.kind === 'timeout' && cause.timer.includes('renewal');
      const { round, epoch, seen, unchanged, patience } = contextOf(after);
      const again = receivedIn(step, 'granted')?.round === contextOf(before).round;
      const takes = isCommanded('acquire', step) || ((ticks || again) && waits(after));
      const renews = ticks && inCriticalSection(after);
      const [taken, renewed] = [sentIn(step, 'take'), sentIn(step, 'renew')];
      const isRipe = patience > 0 && unchanged === patience;
      return (
        taken.length === (takes ? 1 : 0) &&
        renewed.length === (renews ? 1 : 0) &&
        taken.every(
          ({ message }) => message.round === round && message.seen === (isRipe ? seen : 0),
        ) &&
        renewed.every(({ message }) => message.round === round && message.epoch === epoch)
      );
    },
  ),
  ofClient('each request has a new number, unless the previous request has no answer', (step) => {
    const [was, is] = [contextOf(step.before), contextOf(step.after)];
    const asks = sentIn(step, 'take', 'renew').length > 0;
    const isNew = asks && (step.cause.kind !== 'timeout' || was.answered === was.round);
    return is.round === was.round + (isNew ? 1 : 0);
  }),
  ofClient(
    'a waiting client counts the renewals for which the row of another client has not changed',
    (step) => {
      const [was, is] = [contextOf(step.before), contextOf(step.after)];
      if (!waits(step.after)) return true;
      const taken = receivedIn(step, 'taken');
      if (isCommanded('acquire', step)) return is.seen === 0 && is.unchanged === 0;
      if (taken?.round === was.round && taken.version !== was.seen)
        return is.seen === taken.version && is.unchanged === 0;
      const ticks = step.cause.kind === 'timeout' && step.cause.timer.includes('renewal');
      const more = ticks && was.seen > 0 && was.unchanged < was.patience ? 1 : 0;
      return is.seen === was.seen && is.unchanged === was.unchanged + more;
    },
  ),
  ofClient('a client inside has a granted request whose stopwatch runs', ({ after }) => {
    const proving = provingStopwatches(contextOf(after));
    return (
      !inCriticalSection(after) || proving.some((one) => Object(after.value)[one] === 'running')
    );
  }),
  ofClient('a stopwatch runs from each new request on, and none runs without a request', (step) => {
    const { client, ...stopwatches } = Object(step.after.value);
    const [was, is] = [contextOf(step.before), contextOf(step.after)];
    const { even, odd } = stopwatches;
    if (client === 'idle') return even === 'off' && odd === 'off';
    return is.round === was.round || (is.round % 2 === 0 ? even : odd) === 'running';
  }),
  ofClient('a client says once that it has lost the row', (step) => {
    const leaves = inCriticalSection(step.before) && !inCriticalSection(step.after);
    const loses = leaves && !isCommanded('release', step);
    const reason = receivedIn(step, 'refused') ? 'taken' : 'lease-expired';
    return (
      step.notified.length === (loses ? 1 : 0) &&
      step.notified.every(
        (told) => told.type === 'lost' && 'reason' in told && told.reason === reason,
      )
    );
  }),
];

const fence = ({ context }: NodeView): number => Number(context.epoch);

const contenders = ({ id, role, context: { holder } }: NodeView): Contenders => ({
  inside:
    role === 'store' && typeof holder === 'string' && holder !== '' && holder !== id
      ? [holder]
      : [],
  waiting: [],
});

const leases = (node: NodeView): readonly string[] =>
  isStore(node) ? [] : provingStopwatches(contextOf(node)).map((parity) => `${parity}.running`);

const counters = ['version', 'epoch', 'round'] as const;

const messages: ProtocolDefinition<Message, Command>['messages'] = {
  take: {
    fields: ['seen', 'round'],
    counters: ['seen', 'round'],
    meaning:
      'write me into the row, if it is free or still has the version `seen`; this is my request number `round`',
  },
  renew: {
    fields: ['epoch', 'round'],
    counters: ['epoch', 'round'],
    meaning: 'write the row anew, if its latest entry is mine, `epoch`',
  },
  freed: { fields: ['epoch'], counters: ['epoch'], meaning: 'the entry `epoch` has ended' },
  granted: {
    fields: ['epoch', 'round'],
    counters: ['epoch', 'round'],
    meaning: 'the row is yours, by the entry `epoch`; this answers request number `round`',
  },
  taken: {
    fields: ['version', 'round'],
    counters: ['version', 'round'],
    meaning: 'the row belongs to another entry, and has the version `version`',
  },
  refused: {
    fields: ['epoch'],
    counters: ['epoch'],
    meaning: 'the row no longer belongs to the entry `epoch`',
  },
};

const definitionOf = ({
  lease,
  drift,
  renewal,
  clock,
  validity,
}: Settings): ProtocolDefinition<Message, Command> => ({
  id: 'A21',
  name: 'lease-in-one-row',
  title: 'Lease in one row',
  problem: 'mutual-exclusion',
  citation:
    'C. G. Gray, D. R. Cheriton: Leases: An Efficient Fault-Tolerant Mechanism for Distributed File Cache Consistency. SOSP 1989; M. Burrows: The Chubby Lock Service for Loosely-Coupled Distributed Systems. OSDI 2006, section 2.4',
  options: { lease, drift, renewal, ...(clock && { clock }) },
  times: { ...timers({ lease }, shortestLease(drift)), ...timers({ renewal }) },
  topology: needs.star,
  channels: {
    order: 'any',
    loss: true,
    duplication: true,
    time: { kind: 'exact', delay: [0, renewal / 2], stays: { critical: [0, renewal] } },
  },
  roles: {
    store: {
      machine: clock ? clockedStore : store,
      input: () => ({ lease, version: 0, epoch: 0, holder: '', round: 0 }),
      stable: ['version', 'epoch', 'holder', 'round'],
      counters,
    },
    client: {
      machine,
      input: (_self, { nodes }) => ({
        store: nodes[0] ?? '',
        validity,
        renewal,
        patience: clock ? 0 : Math.ceil(lease / renewal) + 1,
        round: 0,
      }),
      stable: ['round'],
      counters: ['round'],
    },
  },
  roleOf: (node, { nodes }) => (node === nodes[0] ? 'store' : 'client'),
  clients: { servedBy: 'store', messages: ['take', 'renew', 'freed'] },
  tolerates: ['crash', 'restart'],
  messages,
  commands,
  properties: [...losableProperties, tokensGrow(fence), isInside, ...rowRules, ...clientRules],
  cost: {
    per: 'entry',
    formula: '3 … ∞',
    remark: '2 more for each `renewal`, while a client waits or is inside',
    messages: () => ({ least: 3, most: Infinity }),
  },
  fence,
  leases,
  contenders,
  waitsFor: nodesIn('store'),
});

/**
 * A21: a lock by a lease in one row of a store: the first node of a star; the others are its clients.
 * The store itself never requests entry.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, a value that it does not take, or a
 * lease too short for two renewals.
 * @example leaseInOneRow({ lease: 10_000, drift: 0.01 })
 */
export function leaseInOneRow(options: Options = {}): FencedProtocol<CancellableCommand> {
  const settings = settingsOf(options);
  const definition = definitionOf(settings);
  if (!settings.cancel) return fenced<CancellableCommand>(defineProtocol(definition));
  return fenced(
    defineProtocol(withCancel(definition, { machines: { client: cancellable }, withdraws: false })),
  );
}
