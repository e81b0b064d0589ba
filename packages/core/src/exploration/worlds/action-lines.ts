import type { EventObject } from 'xstate';
import { unlabelled } from '../../protocol/history.js';
import type { NodeId } from '../../protocol/node.js';
import type { InFlight } from '../../protocol/property.js';
import type { Stimulus } from '../../protocol/stimulus.js';
import { crashLine, traceLine } from '../../trace/recording.js';
import { callText } from '../../trace/text.js';
import type { TraceLine } from '../../trace/trace.js';
import { crosses } from './partition.js';
import type { Action, CrashInside, World } from './world.js';
import type { Worlds } from './worlds.js';

/** What is needed of `Worlds`. */
type Recordable = Pick<Worlds, 'protocol' | 'topology' | 'perform' | 'startOf'>;

/**
 * The trace lines of `action` in `world`: its own and one for each message lost to a cut, or one
 * for each channel that is cut or healed. A crash in the middle of a step: the lines of the step,
 * the crash, then one for each message that has not left the node.
 */
export function actionLines(
  worlds: Recordable,
  world: World,
  action: Action,
): readonly TraceLine[] {
  const { world: next, effects: labelled } = worlds.perform(world, action);
  const effects = labelled.map((effect) =>
    effect.type === 'send' ? { ...effect, message: unlabelled(effect.message) } : effect,
  );
  const onChannel = ({ from, to, message }: InFlight, kind: 'drop' | 'duplicate'): TraceLine => {
    const call = callText(worlds.protocol.messages, unlabelled(message));
    return { node: to, event: { kind, call, from }, effects: [] };
  };
  const onChannelsAcross = (side: readonly NodeId[], kind: 'cut' | 'heal'): readonly TraceLine[] =>
    worlds.topology.links
      .filter((link) => crosses(side, link))
      .map(({ from, to }) => ({ node: to, event: { kind, from }, effects: [] }));
  const stepOf = (node: NodeId, stimulus: Stimulus): readonly TraceLine[] => {
    const before = world.nodes[node]?.value;
    const sent = effects.flatMap((effect) =>
      effect.type === 'send' ? [{ from: node, to: effect.to, message: effect.message }] : [],
    );
    const lost = sent
      .filter((message) => crosses(world.cut, message))
      .map((message) => onChannel(message, 'drop'));
    const line = traceLine(worlds.protocol, {
      node,
      stimulus,
      ...(before === undefined || stimulus.kind === 'restart' ? {} : { before }),
      after: next.nodes[node]?.value ?? '',
      effects,
    });
    return [line, ...lost];
  };
  const eventOf = (event: EventObject): Stimulus => ({ kind: 'event', event });
  switch (action.type) {
    case 'command':
      return stepOf(action.node, eventOf(action.command));
    case 'deliver': {
      const received = { ...unlabelled(action.message), from: action.from };
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
      return [onChannel(action, action.type)];
    case 'crash':
      return action.during
        ? crashInside(worlds, world, action)
        : [crashLine(worlds.protocol, worlds.topology, action.node)];
    case 'restart':
      return stepOf(action.node, { kind: 'restart' });
    case 'split':
      return onChannelsAcross(action.side, 'cut');
    case 'heal':
      return onChannelsAcross(world.cut, 'heal');
    case 'tick':
      return [];
  }
}

function crashInside(
  worlds: Recordable,
  world: World,
  { node, during, lost }: CrashInside,
): readonly TraceLine[] {
  const { protocol, topology } = worlds;
  const { effects } =
    during.type === 'start' ? worlds.startOf(node) : worlds.perform(world, during);
  const unsent = effects
    .filter((effect) => effect.type === 'send')
    .filter((_, position) => lost.includes(position));
  return [
    // the line of a start stands before all actions
    ...(during.type === 'start' ? [] : actionLines(worlds, world, during)),
    crashLine(protocol, topology, node),
    ...unsent
      // the cut has lost it, and says so
      .filter(({ to }) => !crosses(world.cut, { from: node, to }))
      .map(({ to, message }): TraceLine => {
        const call = callText(protocol.messages, unlabelled(message));
        return { node: to, event: { kind: 'drop', call, from: node }, effects: [] };
      }),
  ];
}
