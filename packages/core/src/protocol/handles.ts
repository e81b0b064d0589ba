/**
 * What a machine handles in a state. XState drops an event that no transition takes; here that is
 * an error, an unspecified reception in the words of the literature, unless the machine ignores the
 * event explicitly. So every host asks before each step, and every check has properties about it.
 */
import type { AnyMachineSnapshot, AnyStateMachine, EventObject, StateValue } from 'xstate';
import { ConclaveError } from '../base/error.js';
import type { NodeId } from './node.js';

/**
 * A state value as one word: `wanted`, `client.wanted`, or `client.wanted & voter.free` for
 * parallel regions.
 */
export function stateText(value: StateValue): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([key, inner]) => {
      const text = inner === undefined ? '' : stateText(inner);
      return text === '' ? key : `${key}.${text.includes(' & ') ? `(${text})` : text}`;
    })
    .join(' & ');
}

/** Whether a transition takes an event: `sometimes` where its guard decides. */
type Answer = 'always' | 'sometimes' | 'never';

/** By machine, state value and type of event. */
const answers = new WeakMap<AnyStateMachine, Map<string, Map<string, Answer>>>();

/**
 * Whether some transition of the current state takes `event` (an empty one, `reply: {}`, counts).
 * Guards run only where no transition is unguarded; all else is cached per state value.
 */
export function handles(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: EventObject,
): boolean {
  if (snapshot.status !== 'active') return false;
  const key = typeof snapshot.value === 'string' ? snapshot.value : JSON.stringify(snapshot.value);
  const byValue = entryOf(answers, machine, () => new Map<string, Map<string, Answer>>());
  const byType = entryOf(byValue, key, () => new Map<string, Answer>());
  const answer = entryOf(byType, event.type, () => answerFor(snapshot, event.type));
  return (
    answer === 'always' ||
    (answer === 'sometimes' && machine.getTransitionData(snapshot, event).length > 0)
  );
}

/** The value of `key`, made on first use. */
function entryOf<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function answerFor(snapshot: AnyMachineSnapshot, type: string): Answer {
  let answer: Answer = 'never';
  for (const node of snapshot._nodes) {
    for (const [descriptor, transitions] of node.transitions) {
      if (!matches(descriptor, type)) continue;
      if (transitions.some((transition) => !transition.guard)) return 'always';
      answer = 'sometimes';
    }
  }
  return answer;
}

/**
 * Whether the key `descriptor` of an `on` covers events of `type`: itself, `*`, or `job.*` for
 * `job` and all that begins with `job.`.
 */
export const matches = (descriptor: string, type: string): boolean =>
  descriptor === type ||
  descriptor === '*' ||
  (descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1)));

/** The error for an event that the current state does not handle. */
export function unhandledEvent(
  id: NodeId,
  value: StateValue,
  event: EventObject & { readonly from?: NodeId },
): ConclaveError {
  const sender = event.from === undefined ? '' : ` (from ${event.from})`;
  return new ConclaveError(
    'unhandled',
    `Node ${id} in '${stateText(value)}' does not handle '${event.type}'${sender}`,
    `List it under on, or ignore it with ${/^\w+$/.test(event.type) ? event.type : `'${event.type}'`}: {}.`,
  );
}

/** The name of a property that every check of a protocol includes: no unspecified reception. */
export const everyMessageHandled = 'every message is handled or explicitly ignored';
/** The name of another one: no machine breaks the node contract, or throws. */
export const noStepFails = 'no step fails';

/** Whether a machine has broken the node contract; other errors are the caller's. */
export const breaksRules = (error: unknown): error is ConclaveError =>
  error instanceof ConclaveError && (error.code === 'unhandled' || error.code === 'bad-protocol');

/**
 * The property that a step which ends with such an error violates. Where messages are discarded, a
 * machine that does not handle its own choice fails.
 */
export const violatedBy = ({ code }: ConclaveError, unexpected?: 'refuse' | 'discard'): string =>
  code === 'unhandled' && unexpected !== 'discard' ? everyMessageHandled : noStepFails;
