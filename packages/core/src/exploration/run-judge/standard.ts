import { listed } from '../../judge/blame.js';
import { isFalse, isTrue, type Outcome } from '../../judge/tracker.js';
import { answerOf } from '../../protocol/answer.js';
import { handled, noDeadlock, noStepFails, violatedBy } from '../../protocol/unhandled-messages.js';
import { waitingOf } from '../../protocol/waiting.js';
import type { Worlds } from '../worlds/worlds.js';
import { Failures } from './failures.js';
import type { Position } from './position.js';

/** A property that every protocol is checked for: the present position decides it. */
export interface Standard {
  readonly name: string;
  readonly at: (position: Position) => Outcome;
  /** If these positions come again and again. */
  readonly repeated: (position: Position, loop: readonly Position[]) => Outcome;
}

/** Those of a protocol, in their order. */
export function standardsOf(worlds: Worlds): readonly Standard[] {
  const failures = new Failures(worlds);
  return [
    ...(worlds.budget.unexpected === 'discard' ? [] : [noFault(handled, failures)]),
    ...(worlds.protocol.waiting === false ? [] : [noDeadlocks]),
    noFault(noStepFails, failures),
  ];
}

/** False where some action fails in this way that is possible, as the explorer has it. */
function noFault(name: string, failures: Failures): Standard {
  const at = (position: Position): Outcome => {
    const { fault, actor } = position;
    if (fault && violatedBy(fault, position.worlds.budget.unexpected) === name)
      return isFalse(fault.message, actor === undefined ? [] : [actor]);
    const failure = failures.firstIn(position, name);
    if (failure) return isFalse(failure.error.message, [failure.node]);
    return isTrue(
      name === handled
        ? 'Each message that can arrive is handled.'
        : 'Each step that can be taken succeeds.',
    );
  };
  const repeated = (position: Position, loop: readonly Position[]) =>
    loop.map(at).find(({ value }) => value === 'false') ?? at(position);
  return { name, at, repeated };
}

const goesOn = isTrue('Something can still happen.');

const noDeadlocks: Standard = {
  name: noDeadlock,
  at: (position) => {
    if (position.fault) return isTrue('The run goes no further than the fault.');
    if (!position.isQuiescent) return goesOn;
    const waiting = waitingOf(position.worlds.protocol);
    const stuck = waiting
      ? position.view.nodes.filter(
          (node) => !node.crashed && answerOf({ name: noDeadlock }, waiting, node),
        )
      : [];
    if (stuck.length === 0) return isTrue('Nothing can happen, and no node waits.');
    const ids = stuck.map(({ id }) => id);
    return isFalse(
      `Nothing can happen, and ${listed(ids, 'and')} ${ids.length === 1 ? 'waits' : 'wait'}.`,
      ids,
    );
  },
  repeated: () => goesOn,
};
