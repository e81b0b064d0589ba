import type { EventObject } from 'xstate';
import { unlabelled } from './history.js';
import type { Json, NodeId, Stimulus } from './node.js';
import type { Cause, NodeStep, NodeView } from './property.js';
import type { HostEffect } from './step.js';

/** A step as properties see it. */
export const nodeStep = (
  before: NodeView,
  after: NodeView,
  cause: Cause,
  effects: readonly HostEffect[],
): NodeStep =>
  Object.freeze({
    before,
    after,
    cause,
    sent: effects.flatMap((effect) =>
      effect.type === 'send' ? [{ to: effect.to, message: unlabelled(effect.message) }] : [],
    ),
    notified: effects.flatMap((effect) => (effect.type === 'notify' ? [effect.notification] : [])),
  });

/** What a live node reacted to; undefined for a start or restart. */
export function causeOf(stimulus: Stimulus): Cause | undefined {
  if (stimulus.kind === 'timeout') return stimulus;
  if (stimulus.kind !== 'event') return undefined;
  const event = stimulus.event as EventObject & { readonly from?: NodeId; readonly value?: Json }; // a message, a command or `chosen`
  if (event.type === 'chosen' && event.value !== undefined)
    return { kind: 'choice', value: event.value };
  if (event.from === undefined) return { kind: 'command', command: event };
  const { from, ...message } = event;
  return { kind: 'message', message, from };
}
