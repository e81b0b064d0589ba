import {
  always,
  eventually,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  sometimes,
} from '@conclave/core/protocol';
import { sentIn } from '../../steps.js';

// as the machines' own types say
const maxOf = ({ context }: NodeView): NodeId | null => context.max as NodeId | null;
const neighboursOf = ({ context }: NodeView) => context.neighbours as readonly NodeId[]; // the same

/** The messages of this type that the step sends, as text. */
const textsIn = (step: NodeStep, type: string): string =>
  sentIn(step, type)
    .map(({ to, message }) => `${to} ${message.id}`)
    .join();

const to = (receivers: readonly NodeId[], id: NodeId | null): string =>
  receivers.map((receiver) => `${receiver} ${id}`).join();

/** A node takes part for a larger candidate than before, or for the first. */
const changesIn = ({ before, after }: NodeStep): boolean => maxOf(after) !== maxOf(before);

const othersIn = ({ before, cause }: NodeStep): readonly NodeId[] =>
  neighboursOf(before).filter((id) => cause.kind !== 'message' || id !== cause.from);

/** What holds of both forms: extinction. */
const extinguishes: readonly Property[] = [
  everyStep(
    'the largest id that a node knows only grows, to the one that it hears of',
    ({ before, after, cause }) => {
      const heard =
        cause.kind === 'message' && cause.message.type === 'explorer' && 'id' in cause.message
          ? String(cause.message.id)
          : null;
      const known = maxOf(before);
      if (cause.kind === 'command') return maxOf(after) === (known ?? after.id);
      return maxOf(after) === (heard !== null && (known === null || heard > known) ? heard : known);
    },
  ),
  everyStep(
    'a node that learns of a larger candidate tells all neighbours but the one that told it, and no node tells anything else',
    (step) =>
      textsIn(step, 'explorer') === (changesIn(step) ? to(othersIn(step), maxOf(step.after)) : ''),
  ),
];

export const ofFlooding: readonly Property[] = [
  always('a node is a candidate while it knows no larger id', (system) =>
    system.nodes.every(
      (node) => node.crashed || node.tags.has('candidate') === (maxOf(node) === node.id),
    ),
  ),
  eventually(
    'one candidate is left, every live node knows it, and no message is on its way',
    (system) =>
      system.count('candidate') === 1 &&
      system.count('reached') === system.live &&
      system.distinct('reached', 'max').length === 1 &&
      system.inFlight().length === 0,
  ),
  sometimes('one candidate is left', (system) => system.count('candidate') === 1),
  ...extinguishes,
];

const partOf = ({ context }: NodeView) =>
  context as unknown as {
    readonly parent: NodeId | null;
    readonly pending: readonly NodeId[];
    readonly children: readonly NodeId[];
  }; // as the machine's own type says

/** Whether the node has heard from all neighbours in the wave that it takes part in. */
const isComplete = (node: NodeView): boolean =>
  maxOf(node) !== null && partOf(node).pending.length === 0;

export const ofWaves: readonly Property[] = [
  always(
    'the leader is the largest of the nodes that started, and all take part in its wave',
    (system) =>
      system
        .tagged('leader')
        .every(({ id }) => system.nodes.every((node) => node.crashed || maxOf(node) === id)),
  ),
  ...extinguishes,
  everyStep(
    'a node that has heard from all neighbours sends an echo to its parent, once in each wave',
    (step) => {
      const { parent } = partOf(step.after);
      const isDue =
        isComplete(step.after) && (!isComplete(step.before) || changesIn(step)) && parent !== null;
      return textsIn(step, 'echo') === (isDue ? to([parent], maxOf(step.after)) : '');
    },
  ),
  everyStep(
    'a node that learns the leader tells its children, and no node tells anything else',
    (step) => {
      const learns = step.after.tags.has('decided') && !step.before.tags.has('decided');
      return (
        textsIn(step, 'elected') ===
        (learns ? to(partOf(step.after).children, maxOf(step.after)) : '')
      );
    },
  ),
];
