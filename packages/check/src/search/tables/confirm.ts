/**
 * XState takes the distinct steps again, from copies, and the results must be the same. That finds
 * a mistake of the compiler as well as a machine whose steps are not functions of state and event.
 */

import {
  breaksRules,
  copyOf,
  differenceOf,
  identical,
  impure,
  stateText,
} from '@conclave/core/internal';
import type { LocalState, NodeId, Step } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import { sameData } from '../../worlds/canonical.js';
import { LocalNode } from '../../worlds/local-node.js';
import type { Action, Choice, HostEffect } from '../../worlds/world.js';
import type { Worlds } from '../../worlds/worlds.js';
import * as part from '../kernel/format/step.js';
import { own } from '../kernel/format/tables.js';
import type { Code, Kernel } from '../kernel/kernel.js';
import type { ConfigurationTable, NodeConfiguration } from './encoding.js';

/**
 * The result of a local step: the number of the next local state, its sends (slot, message, slot,
 * message …), its choices, the timers it arms.
 */
export interface LocalOutcome {
  readonly state: number;
  readonly sends: readonly number[];
  readonly choices: readonly Choice[];
  /** The timers that it arms. */
  readonly armed: readonly string[];
  /** All that it makes the host do, in the machine's order. */
  readonly effects: readonly HostEffect[];
  /** Set if the step fails; the other fields are meaningless then. */
  readonly error?: ConclaveError;
}

/** What a confirmation reads of a compiled system. */
interface Confirmed {
  readonly worlds: Worlds;
  readonly configurations: readonly ConfigurationTable[];
  readonly code: Code;
  readonly kernel: Kernel;
  actionOf(action: number): Action;
  actionNumber(action: Action): number;
  knownMayCrash(node: number, configuration: number): boolean | undefined;
}

/**
 * Repeats what is not a step of a machine: how each node starts, which commands each configuration
 * accepts, and whether a node may crash in it. `nodes`: those whose steps the exploration takes;
 * `tick` is called before each configuration.
 *
 * @throws {ConclaveError} `impure` for an answer that differs from the first one.
 */
export function confirmConditions(
  compiled: Confirmed,
  nodes: readonly LocalNode[],
  tick: () => void,
): void {
  const { worlds, configurations, kernel } = compiled;
  for (const [index, id] of worlds.topology.nodes.entries()) {
    const judge = LocalNode.of(worlds, id);
    const node = nodes[index] as LocalNode; // one for each
    const changed = differenceOf(worlds.startOf(id).state, judge.start().state);
    if (changed)
      throw differenceError(`Node ${id} does not start in the same state each time: ${changed}`);
    for (const [number, configuration] of (configurations[index]?.items ?? []).entries()) {
      tick();
      const list = kernel.known(own, index, number);
      if (list >= 0 && !configuration.crashed)
        confirmCommands(compiled, { node, judge }, configuration, list);
      const mayCrash = compiled.knownMayCrash(index, number);
      if (mayCrash !== undefined && worlds.mayCrash(id, configuration.state) !== mayCrash)
        throw differenceError(
          `mayCrash does not return the same each time for node ${id} in '${stateText(configuration.state.value)}'`,
        );
    }
  }
}

/** `judge`: the node by XState; `list`: where the tables hold the steps of the configuration. */
function confirmCommands(
  compiled: Confirmed,
  { node, judge }: { readonly node: LocalNode; readonly judge: LocalNode },
  configuration: NodeConfiguration,
  list: number,
): void {
  const { numbers: code } = compiled.code;
  const { id } = node;
  const expected = compiled.worlds.commandsFor(
    judge,
    configuration.state,
    configuration,
    configuration.clock,
  );
  const before = new Set<number>();
  let isExpected = true;
  for (let at = list + 1; at <= list + (code[list] as number); at++) {
    const action = code[(code[at] as number) + part.action] as number;
    const known = compiled.actionOf(action);
    if (known.type !== 'command') continue;
    // usually it is the same object
    if (known.command !== expected[before.size]) isExpected = false;
    before.add(action);
  }
  if (isExpected && before.size === expected.length) return;
  const commandsOf = (by: LocalNode): ReadonlySet<number> => {
    const now = compiled.worlds.commandsFor(
      by,
      configuration.state,
      configuration,
      configuration.clock,
    );
    return new Set(
      now.map((command) => compiled.actionNumber({ type: 'command', node: id, command })),
    );
  };
  const numbers = commandsOf(judge);
  for (const action of [...before, ...numbers]) {
    if (before.has(action) === numbers.has(action)) continue;
    const known = compiled.actionOf(action);
    if (known.type !== 'command') continue;
    const { type } = known.command;
    const where = `in '${stateText(configuration.state.value)}'`;
    const isSteady =
      commandsOf(node).has(action) === before.has(action) &&
      commandsOf(judge).has(action) === numbers.has(action);
    if (isSteady)
      throw compiledWrongly(
        id,
        `${where}, ${before.has(action) ? 'only the compiled one' : 'only XState'} accepts '${type}'`,
      );
    throw differenceError(
      `Whether node ${id} accepts '${type}' ${where} is not the same each time`,
    );
  }
}

const differenceError = (what: string): ConclaveError =>
  new ConclaveError(
    'impure',
    what,
    'Let machines, guards and conditions depend only on their arguments, not on variables outside.',
  );

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
const compiledWrongly = (id: NodeId, what: string): Error =>
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

/**
 * A text that the sends of two steps of a node share if they have the same effect on each channel.
 */
function byChannel(sends: readonly number[], order: 'fifo' | 'any'): string {
  const channels: number[][] = [];
  for (let at = 0; at < sends.length; at += 2) {
    const [channel = 0, message = 0] = sends.slice(at, at + 2);
    channels[channel] ??= [];
    channels[channel].push(message);
  }
  if (order === 'any') for (const messages of channels) messages?.sort((a, b) => a - b);
  return channels.map((messages) => messages.join()).join(';');
}
