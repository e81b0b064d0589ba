import { ConclaveError } from '../../../base/error.js';
import { stateText } from '../../../protocol/handles.js';
import type { NodeId } from '../../../protocol/node.js';
import { copyOf, differenceOf, identical, impure } from '../../../protocol/plain-data.js';
import type { LocalState, Step } from '../../../protocol/step.js';
import { breaksRules } from '../../../protocol/unhandled-messages.js';
import { sameData } from '../../worlds/canonical.js';
import type { LocalNode } from '../../worlds/local-node.js';
import type { Action } from '../../worlds/world.js';
import type { LocalOutcome } from './local-outcome.js';
import { byChannel } from './sent.js';

/**
 * A node whose steps are taken by XState, and the same without checks of what its machine yields.
 */
export interface Judge {
  readonly checked: LocalNode;
  /** Faster. What it yields is compared with data that is checked. */
  readonly unchecked: LocalNode;
}

/** A step that a node has taken, and what is needed to take it again. */
export interface Confirmable {
  readonly node: LocalNode;
  readonly judge: Judge;
  readonly state: LocalState;
  readonly action: Action;
  readonly outcome: LocalOutcome;
  /**
   * The order of channels, if `state` has its keys in another order than the state in which the
   * step was taken.
   */
  readonly order?: 'fifo' | 'any';
  readonly numbers: Numbers;
}

/** The numbers of local states and messages. */
interface Numbers {
  /** What a step amounts to; an error that breaks the node contract is an outcome as well. */
  outcomeOf(take: () => Step, from: LocalState): LocalOutcome;
  /** The local state of a number. */
  stateOf(number: number): LocalState;
}

/**
 * Takes a step again, by XState and from a mutable copy of its state: the outcome must be the same,
 * and the copy unchanged.
 *
 * @throws {ConclaveError} `impure` for a step that changes what it is given, or that is not the
 * same each time.
 * @throws {Error} if the compiled machine does what XState does not: that is a mistake of the
 * compiler, not of the protocol.
 */
export function confirmStep(known: Confirmable): void {
  const { judge, outcome, order, numbers, state } = known;
  const seen = takeStep(known, judge.unchecked);
  if (isTheStep(seen, known)) return;
  let checked: Step | undefined;
  const judged = numbers.outcomeOf(() => {
    checked = perform(known, judge.checked);
    return checked;
  }, state);
  // a step may fail by data that is not plain
  if (isSame(outcome, judged, order) && (outcome.error || isAlike(seen, checked))) return;
  const who = `Node ${known.node.id}, taking ${nameOf(known.action)},`;
  if (order)
    throw new ConclaveError(
      'impure',
      `${who} depends on the order of the keys of an object: ${difference(outcome, judged, known)}`,
      'Objects with the same fields are the same state: keep what has an order in a list.',
    );
  for (const [node, before] of [
    [known.node, outcome],
    [judge.checked, judged],
  ] as const) {
    const after = numbers.outcomeOf(() => perform(known, node), state);
    if (!isSame(before, after)) throw notTheSame(who, difference(before, after, known));
  }
  if (isSame(outcome, judged))
    throw notTheSame(who, 'it yields other data, or data that is not plain');
  const where = `taking ${nameOf(known.action)} in '${stateText(state.value)}' with ${JSON.stringify(state.context)}`;
  throw compiledWrongly(known.node.id, `${where}, by XState ${difference(judged, outcome, known)}`);
}

/** The error for a compiled machine that differs from XState. */
export const compiledWrongly = (id: NodeId, what: string): Error =>
  new Error(
    `The compiled machine of node ${id} differs from XState: ${what}. This is a mistake of Conclave, not of the protocol; nothing is judged`,
  );

const notTheSame = (who: string, what: string): ConclaveError =>
  new ConclaveError(
    'impure',
    `${who} does not do the same each time: ${what}`,
    'Let a step depend on its state and its event only, not on variables outside of the machine.',
  );

/** The step of a node, or its error. */
function takeStep(known: Confirmable, node: LocalNode): Step | ConclaveError {
  try {
    return perform(known, node);
  } catch (error) {
    if (breaksRules(error)) return error;
    throw error;
  }
}

/**
 * Takes the step from a mutable copy.
 * @throws {ConclaveError} `impure` if that changes the copy.
 */
function perform({ state, action }: Confirmable, node: LocalNode): Step {
  const copy = { state: mutableCopy(state), action: copyOf(action) };
  try {
    return node.perform(copy.state, copy.action);
  } finally {
    requireUnchanged(node, { state, action }, copy);
  }
}

interface Given {
  readonly state: LocalState;
  readonly action: Action;
}

function requireUnchanged({ id }: LocalNode, { state, action }: Given, copy: Given): void {
  const isUnchanged =
    identical(state.context, copy.state.context) &&
    identical(action, copy.action) &&
    identical(state.timers, copy.state.timers) &&
    identical(state.recorded, copy.state.recorded);
  if (isUnchanged) return;
  const changed = differenceOf({ state, action }, copy) ?? 'the order of the keys of an object';
  throw impure(`Node ${id}, taking ${nameOf(action)},`, changed);
}

/** Whether what was taken again is the step of the outcome, data and order of keys. */
function isTheStep(seen: Step | ConclaveError, { outcome, numbers }: Confirmable): boolean {
  if (seen instanceof ConclaveError) return seen.message === outcome.error?.message;
  return (
    outcome.error === undefined &&
    identical(seen.state, numbers.stateOf(outcome.state)) &&
    identical(seen.effects, outcome.effects)
  );
}

/** Whether two steps are the same but for the order of keys. */
const isAlike = (one: Step | ConclaveError, other: Step | undefined): boolean =>
  !(one instanceof ConclaveError) &&
  other !== undefined &&
  sameData([one.state, one.effects], [other.state, other.effects]);

/** A copy of what the code of a machine can reach of a state. */
function mutableCopy({
  value,
  context,
  tags,
  history,
  timers,
  status,
  recorded,
}: LocalState): LocalState {
  const copy = {
    value,
    context: copyOf(context),
    tags,
    history,
    timers: timers.length === 0 ? timers : copyOf(timers),
    status,
  };
  return recorded === undefined ? copy : { ...copy, recorded: copyOf(recorded) };
}

/**
 * Whether two outcomes are the same; with an order of channels, only the order of messages within a
 * channel counts, or under `any` none.
 */
function isSame(one: LocalOutcome, other: LocalOutcome, order?: 'fifo' | 'any'): boolean {
  const isSent = order
    ? byChannel(one.sends, order) === byChannel(other.sends, order)
    : identical(one.sends, other.sends);
  const others = ({ effects }: LocalOutcome) => effects.filter(({ type }) => type !== 'send');
  return (
    one.state === other.state &&
    isSent &&
    sameData(others(one), others(other)) &&
    one.error?.message === other.error?.message
  );
}

/** What differs between two outcomes. */
const difference = (one: LocalOutcome, other: LocalOutcome, known: Confirmable): string =>
  differenceOf(plain(one, known), plain(other, known)) ?? 'it does something in another order';

function plain({ state, effects, error }: LocalOutcome, { numbers }: Confirmable) {
  if (error) return { error: error.message };
  const { value, context, tags, history, timers, status, recorded } = numbers.stateOf(state);
  return {
    value,
    context,
    timers,
    history: recorded,
    effects,
    tags,
    'history states': history,
    status,
  };
}

function nameOf(action: Action): string {
  if (action.type === 'command') return `'${action.command.type}'`;
  if (action.type === 'deliver') return `'${action.message.type}' from ${action.from}`;
  return action.type === 'timeout' ? `the time-out '${action.timer}'` : `a ${action.type}`;
}
