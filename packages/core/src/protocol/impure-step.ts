import { type AnyMachineSnapshot, type AnyStateMachine, type EventObject, log } from 'xstate';
import type { ConclaveError } from '../base/error.js';
import type { NodeId } from './node.js';
import { copyOf, differenceOf, impure, placeOf } from './plain-data.js';
import { stateNodes } from './state-nodes.js';
import { transition } from './transition.js';

/**
 * The error for a machine that changed frozen data on `event`. The step is repeated to find the
 * action that did it, and what it changed.
 */
export function impureStep(
  machine: AnyStateMachine,
  id: NodeId,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
  cause: Error,
): ConclaveError {
  const { value } = snapshot;
  const copied = { context: copyOf(snapshot.context), event: copyOf(event) };
  attempt(() =>
    transition(machine, machine.resolveState({ value, context: copied.context }), copied.event),
  );
  const what = differenceOf({ context: snapshot.context, event }, copied) ?? cause.message;
  let last: string | undefined;
  const marked = withMarks(machine, (name) => {
    last = name;
  });
  attempt(() =>
    transition(marked, marked.resolveState({ value, context: snapshot.context }), event),
  );
  const guard = /guard '([^']+)'/.exec(cause.message)?.[1];
  const who = guard ? `, by its guard '${guard}',` : last ? `, by its action '${last}',` : '';
  return impure(`Node ${id}, taking '${event.type}'${who}`, `${what}${placeOf(cause)}`, cause);
}

function attempt(run: () => unknown): void {
  try {
    run();
  } catch {
    // It is known to fail; only what it does before that matters.
  }
}

/** A copy of `machine` that reports the name of each action before running it. */
function withMarks(machine: AnyStateMachine, tell: (name: string) => void): AnyStateMachine {
  const marked = machine.provide({});
  const all = <A>(actions: readonly A[]) =>
    actions.flatMap((action) => [log(() => tell(nameOf(action))), action]);
  for (const node of stateNodes(marked)) {
    node.entry = all(node.entry);
    node.exit = all(node.exit);
    for (const transition of [...[...node.transitions.values()].flat(), ...(node.always ?? [])])
      transition.actions = all(transition.actions);
  }
  return marked;
}

const nameOf = (action: unknown): string =>
  typeof action === 'string'
    ? action
    : typeof action === 'object' && action !== null && 'type' in action
      ? String(action.type)
      : 'inline';
