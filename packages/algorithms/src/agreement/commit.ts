/**
 * Atomic commitment (Gray 1978; properties AC1 to AC5 of Bernstein, Hadzilacos & Goodman 1987,
 * section 7.3): the first node is the coordinator of one transaction, the others take part in it.
 * What a node has logged, also before a crash, is in its context: `log`. A node that does not come
 * back needs no log: its state tells the same.
 */
import {
  always,
  everyStep,
  leadsTo,
  type NodeId,
  type NodeView,
  type Property,
  type Protocol,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { sendsNothingTwice } from '../steps.js';

/** The command of an application to the coordinator. */
export interface Command {
  readonly type: 'begin';
}

export const commands: Readonly<Record<Command['type'], Protocol['commands'][string]>> = {
  begin: {
    kind: 'optional',
    meaning: 'the transaction is done but for its commit: the coordinator asks for the votes',
    when: ({ value }) => value === 'initial',
  },
};

export const roleOf = (id: NodeId, { nodes }: Topology): string =>
  id === nodes[0] ? 'coordinator' : 'participant';

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
export const decisions: readonly Property[] = [
  agreement,
  validity,
  everyStep(
    'a node that has decided keeps its decision',
    ({ before, after }) => !isDecided(before) || logOf(after) === logOf(before),
  ),
];

export const voting: readonly Property[] = [
  everyStep('a participant votes as its application has chosen', (step) => {
    const { cause, after, sent } = step;
    if (cause.kind !== 'choice') return true;
    const isYes = cause.value === 'yes';
    const [only, ...others] = sent;
    return (
      logOf(after) === (isYes ? 'prepared' : 'aborted') &&
      only?.message.type === cause.value &&
      others.length === 0
    );
  }),
  sendsNothingTwice('a node sends nothing twice in one step'),
  sometimes('all nodes commit', ({ nodes }) => nodes.every((node) => logOf(node) === 'committed')),
  sometimes('all nodes abort', ({ nodes }) => nodes.every((node) => logOf(node) === 'aborted')),
];
