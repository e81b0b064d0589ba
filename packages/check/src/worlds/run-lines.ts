/**
 * Runs of worlds in the form of traces: an action as a text, as the lines of the nodes that take
 * part, and a run of actions as a trace that replays.
 */

import { faults, roleOf, type Stimulus, start, unlabelled } from '@conclave/core/internal';
import { callText, crashLine, eventOf, eventText, traceLine } from '@conclave/core/internal/trace';
import type { InFlight, NodeId, Protocol } from '@conclave/core/protocol';
import type { TraceLine } from '@conclave/core/trace';
import type { EventObject } from 'xstate';
import { canonical } from './canonical.js';
import { crosses } from './in-flight.js';
import type { Action, CrashInside, World } from './world.js';
import type { Worlds } from './worlds.js';

/** A run as the lines of a trace that replays, and by action the index of its first line. */
interface RunLines {
  readonly lines: readonly TraceLine[];
  readonly firstLines: readonly number[];
  /** By action: its position among the actions of its world. */
  readonly steps: readonly number[];
}

/**
 * The run of these actions from the initial world, behind the run that has led to that world. A
 * node that acts at its start has a line for it, directly before the choices of its start. A run
 * that ends while a choice is open is extended until none is, since actors do not stop there.
 */
export function runLines(worlds: Worlds, actions: readonly Action[]): RunLines {
  const { protocol, topology } = worlds;
  const lines: TraceLine[] = [...(worlds.begun?.lines ?? [])];
  const firstLines: number[] = [];
  const steps: number[] = [];
  let world = worlds.initial;
  const { clockwork } = worlds;
  let ticks = worlds.begun?.ticks ?? 0;
  const add = (line: TraceLine) =>
    lines.push(clockwork ? { time: ticks * clockwork.tick, ...line } : line);
  const take = (action: Action) => {
    firstLines.push(lines.length);
    steps.push(numberOf(worlds, world, action));
    for (const line of actionLines(worlds, world, action)) add(line);
    if (action.type === 'tick') ticks++;
    world = worlds.next(world, action);
  };
  const last = actions.reduce((before, action) => worlds.next(before, action), world);
  const all = [...actions, ...answers(worlds, last)];
  const inStarts = all.filter(isInStart); // the first ones; each follows the line of its start
  const others = all.filter((action) => !isInStart(action));
  for (const id of worlds.begun ? [] : topology.nodes) {
    const { machine, input } = roleOf(protocol, id, topology);
    const { state, effects } = start(machine, id, input(id, topology));
    if (effects.length > 0)
      add(
        traceLine(protocol, { node: id, stimulus: { kind: 'start' }, after: state.value, effects }),
      );
    for (const action of inStarts) if (action.node === id) take(action);
    while (world.choosing[0]?.node === id) {
      const answer = others.shift();
      if (!answer) break;
      take(answer);
    }
  }
  for (const action of others) take(action);
  return { lines, firstLines, steps };
}

const isInStart = (action: Action): action is CrashInside =>
  action.type === 'crash' && action.during?.type === 'start';

/**
 * The position of `action` among those that are possible in `world`.
 * @throws {Error} if it is none of them.
 */
function numberOf(worlds: Worlds, world: World, action: Action): number {
  const wanted = canonical(action);
  const number = worlds.actions(world).findIndex((possible) => canonical(possible) === wanted);
  if (number < 0)
    throw new Error(
      `A run takes an action that is not possible: ${wanted}. This is a mistake of Conclave, not of the protocol`,
    );
  return number;
}

/** Answers to the open choices: the first ones that do not fail. */
function answers(worlds: Worlds, world: World): readonly Action[] {
  if (world.choosing.length === 0) return [];
  for (const answer of worlds.actions(world)) {
    try {
      return [answer, ...answers(worlds, worlds.next(world, answer))];
    } catch {
      // Try the next answer.
    }
  }
  return [];
}

/** The line of what a channel does to a message. */
const faultLine = (
  { messages }: Protocol,
  { from, to, message }: InFlight,
  kind: faults.ChannelFault,
): TraceLine => ({
  node: to,
  event: { kind, call: callText(messages, unlabelled(message)), from },
  effects: [],
});

/** How often each fault is in these lines, where it has a line of its own. */
export const faultsIn = (lines: readonly TraceLine[]) =>
  faults.perFault(
    (name) => lines.filter(({ event }) => event.kind === faults.kinds[name].action).length,
  );

/** The part of `Worlds` that makes lines. */
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
  const onChannelsAcross = (side: readonly NodeId[], kind: 'cut' | 'heal'): readonly TraceLine[] =>
    worlds.topology.links
      .filter((link) => crosses(side, link))
      .map(({ from, to }) => ({ node: to, event: { kind, from }, effects: [] }));
  const stepLines = (node: NodeId, stimulus: Stimulus): readonly TraceLine[] => {
    const before = world.nodes[node]?.value;
    const sent = effects.flatMap((effect) =>
      effect.type === 'send' ? [{ from: node, to: effect.to, message: effect.message }] : [],
    );
    const lost = sent
      .filter((message) => crosses(world.cut, message))
      .map((message) => faultLine(worlds.protocol, message, 'drop'));
    const line = traceLine(worlds.protocol, {
      node,
      stimulus,
      ...(before === undefined || stimulus.kind === 'restart' ? {} : { before }),
      after: next.nodes[node]?.value ?? '',
      effects,
    });
    return [line, ...lost];
  };
  const byEvent = (event: EventObject): Stimulus => ({ kind: 'event', event });
  switch (action.type) {
    case 'command':
      return stepLines(action.node, byEvent(action.command));
    case 'deliver': {
      const received = { ...unlabelled(action.message), from: action.from };
      return stepLines(action.to, byEvent(received));
    }
    case 'timeout':
      return stepLines(action.node, { kind: 'timeout', timer: action.timer });
    case 'choose': {
      const chosen = { type: 'chosen', value: action.value };
      return stepLines(action.node, byEvent(chosen));
    }
    case 'crash':
      return action.during
        ? crashInside(worlds, world, action)
        : [crashLine(worlds.protocol, worlds.topology, action.node)];
    case 'restart':
      return stepLines(action.node, { kind: 'restart' });
    case 'split':
      return onChannelsAcross(action.side, 'cut');
    case 'heal':
      return onChannelsAcross(world.cut, 'heal');
    case 'tick':
      return [];
    default: // a fault of a channel
      return [faultLine(worlds.protocol, action, action.type)];
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
      .map((sent) => faultLine(protocol, { from: node, ...sent }, 'drop')),
  ];
}

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
    default:
      return `${action.to} ${eventText(faultLine(protocol, action, action.type).event)}`;
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
