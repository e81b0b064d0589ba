import { unlabelled } from '../../protocol/history.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Stimulus } from '../../protocol/stimulus.js';
import { eventOf } from '../../trace/recording.js';
import { callText, eventText } from '../../trace/text.js';
import type { Action } from './world.js';

/** An action as a trace names it: `a acquire`, `b request(1) from a`. */
export function actionText(protocol: Protocol, action: Action): string {
  const step = (node: string, stimulus: Stimulus) =>
    `${node} ${eventText(eventOf(protocol, stimulus))}`;
  switch (action.type) {
    case 'command':
      return step(action.node, { kind: 'event', event: action.command });
    case 'deliver': {
      const event = { ...unlabelled(action.message), from: action.from };
      return step(action.to, { kind: 'event', event });
    }
    case 'drop':
    case 'duplicate': {
      const call = callText(protocol.messages, unlabelled(action.message));
      return `${action.to} ${eventText({ kind: action.type, call, from: action.from })}`;
    }
    case 'timeout':
      return step(action.node, { kind: 'timeout', timer: action.timer });
    case 'choose': {
      const event = { type: 'chosen', value: action.value };
      return step(action.node, { kind: 'event', event });
    }
    case 'crash':
      return `${action.node} crash${insideText(protocol, action)}`;
    case 'restart':
      return step(action.node, { kind: 'restart' });
    case 'split':
      return `cut off ${action.side.join(', ')}`;
    case 'heal':
      return 'heal';
    case 'tick':
      return 'tick';
  }
}

/**
 * Such as ` in the middle of 'b request(1) from a', unsent 1, 2`: the numbers of the sends that are
 * lost.
 */
function insideText(
  protocol: Protocol,
  { node, during, lost }: Extract<Action, { readonly type: 'crash' }>,
): string {
  if (!during) return '';
  const step = during.type === 'start' ? `${node} start` : actionText(protocol, during);
  return ` in the middle of '${step}', ${lost.length === 0 ? 'all sent' : `unsent ${lost.map((position) => position + 1).join(', ')}`}`;
}
