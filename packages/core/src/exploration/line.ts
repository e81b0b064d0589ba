import type { EventObject } from 'xstate';
import type { Stimulus } from '../protocol/actor.js';
import type { NodeId } from '../protocol/node.js';
import { traceLine } from '../trace/recording.js';
import { callText } from '../trace/text.js';
import type { TraceLine } from '../trace/trace.js';
import type { Action, World, Worlds } from './world.js';

/** The line that `action`, taken in `world`, stands in a trace as. */
export function actionLine(worlds: Worlds, world: World, action: Action): TraceLine {
  const { world: next, effects } = worlds.perform(world, action);
  const stepOf = (node: NodeId, stimulus: Stimulus): TraceLine => {
    const before = world.nodes[node]?.value;
    return traceLine(worlds.protocol, {
      node,
      stimulus,
      ...(before === undefined || stimulus.kind === 'restart' ? {} : { before }),
      after: next.nodes[node]?.value ?? '',
      effects,
    });
  };
  const eventOf = (event: EventObject): Stimulus => ({ kind: 'event', event });
  switch (action.type) {
    case 'command':
      return stepOf(action.node, eventOf(action.command));
    case 'deliver': {
      const received = { ...action.message, from: action.from };
      return stepOf(action.to, eventOf(received));
    }
    case 'timeout':
      return stepOf(action.node, { kind: 'timeout', timer: action.timer });
    case 'choose': {
      const chosen = { type: 'chosen', value: action.value };
      return stepOf(action.node, eventOf(chosen));
    }
    case 'drop':
    case 'duplicate':
      return {
        node: action.to,
        event: { kind: action.type, call: callText(worlds.protocol.messages, action.message), from: action.from },
        effects: [],
      };
    case 'crash':
      return { node: action.node, event: { kind: 'crash' }, effects: [] };
    case 'restart':
      return stepOf(action.node, { kind: 'restart' });
  }
}
