import { labelOf, unlabelled } from '../../protocol/history.js';
import type { Json } from '../../protocol/node.js';
import type { Cause } from '../../protocol/property.js';
import type { Action } from './world.js';

/**
 * What the machine of a node reacts to by `action`; undefined where no machine reacts, and for a
 * restart.
 */
export function causeOfAction(action: Action): Cause | undefined {
  const { type } = action;
  if (type === 'command') return { kind: type, command: action.command };
  if (type === 'deliver')
    return { kind: 'message', message: unlabelled(action.message), from: action.from };
  if (type === 'timeout') return { kind: type, timer: action.timer };
  return type === 'choose' ? { kind: 'choice', value: action.value } : undefined;
}

/** What the message that `action` delivers carries along for the history. */
export const labelOfAction = (action: Action): Json | undefined =>
  action.type === 'deliver' ? labelOf(action.message) : undefined;
