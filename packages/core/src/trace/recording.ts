/**
 * From what a host sees to what a trace says: steps, crashes and the header. All hosts record through
 * it, so that one run has one text, whichever host ran it.
 */
import type { EventObject, StateValue } from 'xstate';
import { crashNotices } from '../protocol/crash-notices.js';
import { stateText } from '../protocol/handles.js';
import type { Json, NodeId, Stimulus } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import type { HostEffect, Step } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import {
  callText,
  effectText,
  eventText,
  type TraceEffect,
  type TraceEvent,
  type TraceLine,
  valueText,
} from './trace.js';

/** One step of a node, as its host saw it. */
export interface RecordedStep extends Pick<Step, 'effects'> {
  readonly time?: number;
  readonly node: NodeId;
  /** What the machine reacts to: its start or restart, an event, or one of its own timers. */
  readonly stimulus:
    | { readonly kind: 'start' | 'restart' }
    | { readonly kind: 'event'; readonly event: EventObject }
    | { readonly kind: 'timeout'; readonly timer: string };
  readonly before?: StateValue;
  readonly after: StateValue;
}

/** The event of a step as a trace names it. */
export function eventOf(protocol: Protocol, stimulus: Stimulus): TraceEvent {
  if (stimulus.kind === 'timeout') return { kind: 'timeout', timer: timerName(stimulus.timer) };
  if (stimulus.kind !== 'event') return { kind: stimulus.kind };
  const event = stimulus.event as EventObject & { readonly from?: NodeId; readonly value?: Json }; // a message, a command or `chosen`
  if (event.type === 'chosen' && event.value !== undefined)
    return { kind: 'chosen', value: valueText(event.value) };
  if (event.from !== undefined)
    return { kind: 'deliver', call: callText(protocol.messages, event), from: event.from };
  return { kind: 'command', call: callText(protocol.commands, event) };
}

/**
 * XState calls the timer of `after: { retry: … }` in state `m.s` `xstate.after.retry.m.s`; a trace
 * calls it `retry.m.s`.
 */
export const timerName = (id: string): string =>
  id.startsWith(after) ? id.slice(after.length) : id;

const after = 'xstate.after.';

export function effectOf(protocol: Protocol, effect: HostEffect): TraceEffect {
  const { type } = effect;
  if (type === 'send')
    return { kind: type, to: effect.to, call: callText(protocol.messages, effect.message) };
  if (type === 'notify') return { kind: type, call: notificationText(effect.notification) };
  if (type === 'choose') return { kind: type, options: effect.options.map(valueText).join(' | ') };
  if (type === 'start')
    return { kind: type, timer: timerName(effect.timer.id), delay: effect.timer.delay };
  return { kind: type, timer: timerName(effect.timer) };
}

/** Notifications need no vocabulary: they are never parsed. */
function notificationText({ type, ...fields }: { readonly type: string }): string {
  const values = Object.values(fields as Record<string, Json>); // notifications are plain data
  return values.length === 0 ? type : `${type}(${values.map(valueText).join(', ')})`;
}

export function traceLine(protocol: Protocol, step: RecordedStep): TraceLine {
  return {
    ...(step.time === undefined ? {} : { time: step.time }),
    node: step.node,
    event: eventOf(protocol, step.stimulus),
    ...(step.before === undefined ? {} : { before: stateText(step.before) }),
    after: stateText(step.after),
    effects: step.effects.map((effect) => effectOf(protocol, effect)),
  };
}

/** The texts of values that are objects: a compiled node has few, again and again. */
const texts = new WeakMap<object, string>();

function textOf(value: StateValue): string {
  if (typeof value === 'string') return value;
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = stateText(value);
  texts.set(value, text);
  return text;
}

/** The text of a step, as `lineText` of its line: without the objects in between, for journals. */
export function stepText(
  protocol: Protocol,
  { node, stimulus, before, after, effects }: RecordedStep,
): string {
  let text = `${node}  ${eventText(eventOf(protocol, stimulus))}  `;
  const now = textOf(after);
  const was = before === undefined || before === after ? now : textOf(before);
  text += was === now ? now : `${was} → ${now}`;
  let gap = '  ⇒ ';
  for (const effect of effects) {
    text += gap + effectText(effectOf(protocol, effect));
    gap = ', ';
  }
  return text;
}

/** A crash, with what the network tells the neighbours of the node. */
export function crashLine(protocol: Protocol, topology: Topology, node: NodeId): TraceLine {
  const effects = crashNotices(protocol, topology, node).map((notice) =>
    effectOf(protocol, notice),
  );
  return { node, event: { kind: 'crash' }, effects };
}

/**
 * The header of a trace: the protocol with its options and the network, for replay, and the nodes
 * in their order, for diagrams.
 */
export function traceHeader(
  { name, options = {} }: Protocol,
  { spec, nodes }: Topology,
): readonly (readonly [string, string])[] {
  const given =
    Object.keys(options).length > 0 ? [['options', JSON.stringify(options)] as const] : [];
  return [['protocol', name], ...given, ['topology', spec], ['nodes', nodes.join(' ')]];
}
