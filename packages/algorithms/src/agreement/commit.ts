/**
 * Atomic commitment (Gray 1978; properties AC1 to AC5 of Bernstein, Hadzilacos & Goodman 1987,
 * section 7.3): the first node is the coordinator of one transaction, the others take part in it.
 * What a node has logged, also before a crash, is in its context: `log`. A node that does not come
 * back needs no log: its state tells the same.
 */
import {
  always,
  type Chosen,
  defineProtocol,
  type Effect,
  everyStep,
  leadsTo,
  type Message,
  type NodeId,
  type NodeView,
  type Property,
  type Protocol,
  type ProtocolDefinition,
  type Received,
  type Role,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import { senderIn, sendsNothingTwice } from '../steps.js';

/** The command of an application to the coordinator. */
export interface Command {
  readonly type: 'begin';
}

/** PREPARE asks for a vote, YES and NO are votes, COMMIT and ABORT the decision. */
export interface TwoPhases {
  readonly type: 'prepare' | 'yes' | 'no' | 'commit' | 'abort';
}

/** The types of a machine, whose nodes draw their votes. */
export interface Types<Input, M extends Message> {
  input: Input;
  /** At a coordinator: who has not answered. */
  context: Input & { readonly awaiting: readonly NodeId[] };
  events: Command | Received<M> | Chosen<'yes' | 'no'>;
  emitted: Effect<M>;
}

type Event = { readonly type: string; readonly from?: NodeId; readonly value?: unknown };

export const senderOf = ({ from = '' }: Event): NodeId => from;
export const without = (ids: readonly NodeId[], event: Event): readonly NodeId[] =>
  ids.filter((id) => id !== event.from);
export const isYes = ({ event }: { readonly event: Event }): boolean => event.value === 'yes';

export const logOf = ({ context, value }: NodeView): unknown => context.log ?? value;
export const isDecided = (node: NodeView): boolean =>
  logOf(node) === 'committed' || logOf(node) === 'aborted';
const logged = ({ nodes }: SystemView, entry: string): boolean =>
  nodes.some((node) => logOf(node) === entry);

export const agreement: Property = always(
  'no node commits the transaction that another one aborts, crashed nodes included',
  (system) => !(logged(system, 'committed') && logged(system, 'aborted')),
);

export const validity: Property = always(
  'the transaction is committed only if every participant has voted yes',
  (system) =>
    !logged(system, 'committed') ||
    system.nodes.every(
      (node) =>
        ['prepared', 'precommitted', 'committed'].includes(`${logOf(node)}`) ||
        node.role === 'coordinator',
    ),
);

export const progress: Property = leadsTo(
  'a node that waits for votes, or for the decision, eventually decides',
  ({ tags, crashed }) => tags.has('waiting') && !crashed,
  (node) => isDecided(node) || node.crashed,
);

/** What holds whatever crashes. */
const decisions: readonly Property[] = [
  agreement,
  validity,
  everyStep(
    'a node that has decided keeps its decision',
    ({ before, after }) => !isDecided(before) || logOf(after) === logOf(before),
  ),
];

/** What a node has logged, or its state, while it waits. */
const waits = ['begun', 'collecting', 'prepared', 'precommitted'];

const voting: readonly Property[] = [
  always(
    'a node that has begun, or has voted yes, waits exactly until it has decided',
    ({ nodes }) =>
      nodes.every(
        (node) =>
          node.crashed ||
          (node.tags.has('waiting') === waits.includes(`${logOf(node)}`) &&
            node.tags.has('decided') === isDecided(node)),
      ),
  ),
  everyStep('a participant votes as its application has chosen', (step) => {
    const { cause, after, sent } = step;
    if (cause.kind !== 'choice') return true;
    const [only, ...others] = sent;
    return (
      logOf(after) === (cause.value === 'yes' ? 'prepared' : 'aborted') &&
      only?.message.type === cause.value &&
      others.length === 0
    );
  }),
  everyStep(
    'a coordinator without all votes aborts when it gets `no`, when it has waited too long, and when a node is down',
    (step) => {
      const { before, after, cause } = step;
      const isOver = cause.kind === 'timeout' || senderIn(step, 'no', 'down').length > 0;
      const isVoting = before.value === 'initial' || before.value === 'collecting';
      return !isVoting || !isOver || logOf(after) === 'aborted';
    },
  ),
  sendsNothingTwice('a node sends no message twice in one step'),
  sometimes('all nodes commit', ({ nodes }) => nodes.every((node) => logOf(node) === 'committed')),
  sometimes('all nodes abort', ({ nodes }) => nodes.every((node) => logOf(node) === 'aborted')),
];

type Common = 'problem' | 'roles' | 'roleOf' | 'commands' | 'properties' | 'cost';

/** What a protocol of one transaction has of its own. */
interface Own<M extends Message> extends Omit<ProtocolDefinition<M, Command>, Common> {
  readonly machines: Readonly<Record<'coordinator' | 'participant', Role['machine']>>;
  readonly node: Omit<Role, 'machine'>;
  readonly safety: readonly Property[];
  readonly steps: readonly Property[];
  /** How many messages there are for each participant, at least and at most. */
  readonly cost: readonly [least: number, most: number];
}

export function commitProtocol<M extends Message>({
  machines: { coordinator, participant },
  node,
  safety,
  steps,
  cost: [least, most],
  ...own
}: Own<M>): Protocol<Command> {
  return defineProtocol<M, Command>({
    ...own,
    problem: 'commit',
    roles: {
      coordinator: { machine: coordinator, ...node },
      participant: { machine: participant, ...node },
    },
    roleOf: (id, { nodes }) => (id === nodes[0] ? 'coordinator' : 'participant'),
    commands: {
      begin: {
        kind: 'optional',
        meaning: 'all work of the transaction is done: the coordinator asks for the votes',
        when: ({ value }) => value === 'initial',
      },
    },
    properties: [...decisions, ...safety, ...voting, progress, ...steps],
    cost: {
      per: 'transaction',
      command: 'begin',
      formula: `${least}(n−1) … ${most}(n−1)`,
      messages: (n) => ({ least: least * (n - 1), most: most * (n - 1) }),
    },
  });
}
