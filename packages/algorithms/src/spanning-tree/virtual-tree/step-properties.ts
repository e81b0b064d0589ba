/** What each step of a node of the virtual tree must do. */
import {
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { receiversIn, senderIn } from '../../steps.js';

const neighboursOf = ({ context }: NodeView): Readonly<Record<NodeId, unknown>> =>
  typeof context.neighbours === 'object' && context.neighbours !== null
    ? { ...context.neighbours }
    : {};
const pendingOf = ({ context }: NodeView): readonly unknown[] =>
  Array.isArray(context.pending) ? context.pending : [];
const placeOf = ({ value }: NodeView): unknown =>
  typeof value === 'object' ? value.present : value;
const isPresent = ({ value }: NodeView): boolean => typeof value === 'object';

const senderOf = (step: NodeStep, type: string): NodeId | undefined => senderIn(step, type)[0];

/** A property of the steps in which a present node receives a message of this type. */
const onReceipt = (
  type: string,
  name: string,
  allows: (step: NodeStep, from: NodeId) => boolean,
): Property =>
  everyStep(name, (step) => {
    const from = senderOf(step, type);
    return from === undefined || !isPresent(step.before) || allows(step, from);
  });

export const stepProperties: readonly Property[] = [
  everyStep(
    'a node loses its place only when it leaves or loses its parent; then it awaits an answer of each other neighbour',
    (step) => {
      const { before, after, cause } = step;
      if (!before.tags.has('attached') || after.tags.has('attached'))
        return receiversIn(step, 'lost').length === 0;
      if (cause.kind === 'command') return after.value === 'left';
      const { parent } = before.context;
      const others = Object.keys(neighboursOf(before)).filter((id) => id !== parent);
      return (
        [senderOf(step, 'lost'), senderOf(step, 'closed')].includes(
          typeof parent === 'string' ? parent : '',
        ) &&
        `${receiversIn(step, 'lost')}` === `${others}` &&
        `${pendingOf(after)}` === `${others}` &&
        (placeOf(after) === 'dissolving') === others.length > 0
      );
    },
  ),
  onReceipt('lost', 'lost is answered at once, or when the subtree is dissolved', (step, from) => {
    const isOwed = step.after.context.owed === from;
    return (
      `${receiversIn(step, 'noted')}` === (isOwed ? '' : from) &&
      (!isOwed || step.before.context.parent === from)
    );
  }),
  everyStep(
    'a node owes its former parent an answer until it has sent it, or that one has left',
    (step) => {
      const { owed } = step.before.context;
      if (typeof owed !== 'string' || step.after.context.owed === owed) return true;
      return receiversIn(step, 'noted').includes(owed) || senderOf(step, 'closed') === owed;
    },
  ),
  everyStep(
    'a node dissolves its subtree until all have answered, or it is appointed root',
    (step) => {
      const { before, after } = step;
      if (placeOf(before) !== 'dissolving' || senderOf(step, 'be-root') !== undefined) return true;
      const from = senderOf(step, 'noted') ?? senderOf(step, 'closed');
      const left = pendingOf(before).filter((id) => id !== from);
      return left.length > 0
        ? placeOf(after) === 'dissolving' && `${pendingOf(after)}` === `${left}`
        : placeOf(after) !== 'dissolving';
    },
  ),
  ...['level', 'noted'].map((type) =>
    onReceipt(
      type,
      `a node remembers the level that it is told by ${type}`,
      ({ after, cause }, from) =>
        cause.kind === 'message' && 'level' in cause.message
          ? neighboursOf(after)[from] === cause.message.level
          : false,
    ),
  ),
  onReceipt(
    'lost',
    'a node remembers that a neighbour has lost its place',
    ({ after }, from) => neighboursOf(after)[from] === null,
  ),
  onReceipt(
    'closed',
    'a node forgets a neighbour that has left',
    ({ after }, from) => !Object.hasOwn(neighboursOf(after), from),
  ),
  onReceipt(
    'be-root',
    'a node that is appointed is the root',
    ({ after }) => after.tags.has('attached') && after.context.level === 0,
  ),
];
