/** What happens and how nodes stand, in words: for lists, drawings and reasons. */
import type { Action, World } from '@conclave/check';
import type { Worlds } from '@conclave/check/internal';
import {
  faults,
  readable,
  roleOf,
  stateNodes,
  stateText,
  unlabelled,
} from '@conclave/core/internal';
import { callText } from '@conclave/core/internal/trace';
import type { Command, Message, NodeId, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate';
import { memo } from '../base/collections.js';
import { idOf } from '../chart/graph.js';
import { language, say } from '../texts/say.js';
import type { System } from './system.js';

type Due = NonNullable<Extract<Action, { readonly message: Message }>['due']>;

/** What an action needs to be named: a system; without a clockwork no times are said. */
type Named = Pick<Worlds, 'protocol' | 'topology'> &
  Partial<Pick<Worlds, 'clockwork'>> & { readonly worlds: Worlds };

/** `request(1)`, as a trace has it; without the label that a history gives a message. */
export const callOf = (protocol: Protocol, event: Message | Command, from?: NodeId): string =>
  namesOf(protocol).shown(
    callText(from === undefined ? protocol.commands : protocol.messages, unlabelled(event)),
  );

const namesOf = memo(readable);

/** A timer: its id; that of an `after` as it is written, with its state where others have it. */
export function timerOf(
  protocol: Protocol,
  topology: Topology,
  { node, timer }: { readonly node: NodeId; readonly timer: string },
): string {
  const all = afterTimers(roleOf(protocol, node, topology).machine);
  const after = all.find((other) => other.timer === timer);
  if (!after) return timer;
  const isAlone = all.every((other) => other === after || other.delay !== after.delay);
  return isAlone
    ? after.delay
    : say('{delay} in {id}', { delay: after.delay, id: idOf(after.state) });
}

/** What a channel does to a message, in a word. */
const verbOf = (type: 'deliver' | faults.ChannelFault): string =>
  say(type === 'deliver' ? type : faults.channelFaults[type].verb);

/** What happens by an action, in words: `deliver request(1) from a to b`, `a acquires`. */
export function wordsOf(named: Named, world: World, action: Action): string {
  const { protocol, topology, clockwork } = named;
  switch (action.type) {
    case 'command':
      return commandWords(protocol, action.node, action.command);
    case 'timeout':
      return say("timer '{timer}' of {node} fires", {
        timer: timerOf(protocol, topology, action),
        node: action.node,
      });
    case 'choose':
      return say('{node} chooses {value}', {
        node: action.node,
        value: JSON.stringify(action.value),
      });
    case 'crash': {
      if (!isInside(action)) return say('{node} crashes', { node: action.node });
      const { step, fate } = insideWords(named, world, action);
      return say("{node} crashes in the middle of '{step}': {fate}", {
        node: action.node,
        step,
        fate,
      });
    }
    case 'restart':
      return say('{node} restarts', { node: action.node });
    case 'split':
      return say('cut off {side}', { side: smallerSide(topology.nodes, action.side).join(', ') });
    case 'heal':
      return say('heal the network');
    case 'tick':
      return clockwork && clockwork.tick > 0
        ? say('{tick} ms pass', { tick: clockwork.tick })
        : say('one tick passes');
    default: {
      const message = messageWords(protocol, action);
      const due = dueWords(named, action.due);
      return action.type === 'drop' && action.unsent !== undefined
        ? say('leave unsent {message}{due}', { message, due })
        : say('{verb} {message}{due}', { verb: verbOf(action.type), message, due });
    }
  }
}

/** The step, `b receives request(1) from a`, and what it has sent before the crash. */
export function insideWords(
  named: Named,
  world: World,
  action: CrashInside,
): { readonly step: string; readonly fate: string } {
  const { protocol } = named;
  const { node, during } = action;
  const fate = fateWords(named.worlds, world, action, (sent) => callOf(protocol, sent, node));
  if (during.type === 'start') return { step: say('{node} starts', { node }), fate };
  if (during.type !== 'deliver') return { step: wordsOf(named, world, during), fate };
  const { message, from, due } = during;
  const step = say('{node} receives {call} from {from}{due}', {
    node,
    call: callOf(protocol, message, from),
    from,
    due: dueWords(named, due),
  });
  return { step, fate };
}

/** In exact time: when a message arrives, such as `, due in 20–50 ms`. */
export function dueWords(
  { clockwork }: Partial<Pick<Worlds, 'clockwork'>>,
  due: Due | undefined,
): string {
  if (!due || !clockwork) return '';
  const ms = (ticks: number) => Number((ticks * clockwork.tick).toFixed(3));
  const [least, most] = [ms(due.least), ms(due.most)];
  if (least === most) return least === 0 ? say(', due now') : say(', due in {least} ms', { least });
  return most === Infinity
    ? say(', due from {least} ms on', { least })
    : say(', due in {least}–{most} ms', { least, most });
}

/** Of the two parts of a split the one with fewer nodes; `side` if they are equal. */
export function smallerSide(nodes: readonly NodeId[], side: readonly NodeId[]): readonly NodeId[] {
  return side.length * 2 <= nodes.length ? side : nodes.filter((id) => !side.includes(id));
}

/** An action in the menu of its node or message: `Deliver`, `Acquire`. */
export function shortWordsOf(system: Named, world: World, action: Action): string {
  if (isInside(action)) {
    const { step, fate } = insideWords(system, world, action);
    return say("Crash in the middle of '{step}': {fate}", { step, fate });
  }
  if (action.type === 'drop' && action.unsent !== undefined) return say('Leave it unsent');
  if (action.type === 'command') return capital(callOf(system.protocol, action.command));
  if (action.type === 'timeout')
    return say("Let timer '{timer}' fire", {
      timer: timerOf(system.protocol, system.topology, action),
    });
  if (action.type === 'choose')
    return say('Choose {value}', { value: JSON.stringify(action.value) });
  const isOfAll = action.type === 'split' || action.type === 'heal' || action.type === 'tick';
  if (isOfAll) return capital(wordsOf(system, world, action));
  return capital('message' in action ? verbOf(action.type) : say(action.type));
}

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** `request(1) from a to b` */
export const messageWords = (
  protocol: Protocol,
  { from, to, message }: { readonly from: NodeId; readonly to: NodeId; readonly message: Message },
): string => say('{call} from {from} to {to}', { call: callOf(protocol, message, from), from, to });

/** `a acquires`, `a multicasts (x)`. */
function commandWords(protocol: Protocol, node: NodeId, command: Command): string {
  const [, name = command.type, values = ''] =
    /^([^(]*)(\(.*)?$/s.exec(callOf(protocol, command)) ?? [];
  if (language() === 'de') return `${node}: ${name}${values}`; // names of commands are English
  return `${node} ${thirdPerson(name)}${values === '' ? '' : ` ${values}`}`;
}

/** `acquire` → `acquires`, `try` → `tries`, `start-wave` → `starts wave`. */
function thirdPerson(type: string): string {
  const [verb = '', ...rest] = type.split('-');
  const inflected = /(s|sh|ch|x|z|o)$/.test(verb)
    ? `${verb}es`
    : /[^aeiou]y$/.test(verb)
      ? `${verb.slice(0, -1)}ies`
      : `${verb}s`;
  return [inflected, ...rest].join(' ');
}

/** A crash in the middle of a step. */
type CrashInside = Extract<Action, { readonly type: 'crash'; readonly during: object }>;

export const isInside = (action: Action): action is CrashInside =>
  action.type === 'crash' && action.during !== undefined;

type Sends = readonly Extract<
  ReturnType<Worlds['perform']>['effects'][number],
  { readonly type: 'send' }
>[];

/** What a step sends. All crashes in its middle have the same. */
const sendsOf = memo(
  (during: CrashInside['during'], worlds: Worlds, world: World, node: NodeId): Sends => {
    const { effects } =
      during.type === 'start' ? worlds.startOf(node) : worlds.perform(world, during);
    return effects.filter((effect) => effect.type === 'send');
  },
);

/** What leaves a node before it crashes: `leader sent to b, not to c`. */
function fateWords(
  worlds: Worlds,
  world: World,
  action: CrashInside,
  callOf: (message: Sends[number]['message']) => string,
): string {
  const calls = new Map<string, { readonly sent: NodeId[]; readonly lost: NodeId[] }>();
  for (const [position, { to, message }] of sendsOf(
    action.during,
    worlds,
    world,
    action.node,
  ).entries()) {
    const call = callOf(message);
    const fate = calls.get(call) ?? { sent: [], lost: [] };
    calls.set(call, fate);
    fate[action.lost.includes(position) ? 'lost' : 'sent'].push(to);
  }
  if (action.lost.length === 0) return say('all is sent');
  const words = [...calls].map(([call, { sent, lost }]) => {
    if (sent.length === 0) return say('{call} not sent to {lost}', { call, lost: lost.join(', ') });
    return say('{call} sent to {sent}{rest}', {
      call,
      sent: sent.join(', '),
      rest: lost.length === 0 ? '' : say(', not to {lost}', { lost: lost.join(', ') }),
    });
  });
  return words.join('; ');
}

/** A timer that a state arms when it is entered. */
interface AfterTimer {
  /** Its id in a world. */
  readonly timer: string;
  readonly state: AnyStateNode;
  /** As the machine writes it: `timeout`, `500 ms`. */
  readonly delay: string;
}

/** The timers of the `after` of all states of a machine, each once. */
export const afterTimers = memo((machine: AnyStateMachine): readonly AfterTimer[] => {
  const timers = stateNodes(machine).flatMap((state) =>
    state.after.map(({ eventType: timer }) => ({ timer, state, delay: delayIn(timer, state) })),
  );
  return [...new Map(timers.map((one) => [one.timer, one])).values()];
});

/** XState names the timer of `after: { retry: … }` in the state `m.s` `xstate.after.retry.m.s`. */
function delayIn(timer: string, { id }: AnyStateNode): string {
  const delay = timer.slice('xstate.after.'.length, -id.length - 1);
  return /^\d+$/.test(delay) ? `${delay} ms` : delay;
}

/** The states without inner ones, as texts; a state of several regions is none of them. */
export const leafTexts = memo((machine: AnyStateMachine): readonly string[] =>
  stateNodes(machine).flatMap(({ path, states }) =>
    Object.keys(states).length === 0 ? [path.join('.')] : [],
  ),
);

/** The states that are active in `value`, outermost first. */
export function activeStates(machine: AnyStateMachine, value: StateValue): readonly AnyStateNode[] {
  const inside = (node: AnyStateNode, part: StateValue | undefined): readonly AnyStateNode[] => {
    if (part === undefined) return [node];
    const parts = typeof part === 'string' ? { [part]: undefined } : part;
    return [
      node,
      ...Object.entries(parts).flatMap(([key, inner]) =>
        node.states[key] ? inside(node.states[key], inner) : [],
      ),
    ];
  };
  return inside(machine.root, value);
}

/** The outermost states in which something takes events of `type`. */
export const regionsTaking = (machine: AnyStateMachine, type: string): readonly string[] =>
  stateNodes(machine).flatMap(({ path, transitions }) =>
    transitions.has(type) ? path.slice(0, 1) : [],
  );

/** In what two worlds differ: a line for each node, and one for each message of only one of them. */
export function differences(
  { protocol, topology }: System,
  [here, there]: readonly [World, World],
): readonly string[] {
  const nodes = topology.nodes.flatMap((id) => {
    const [one, other] = [here, there].map((world) => factsOf(world, id));
    const different = Object.keys({ ...one, ...other }).filter(
      (key) => one?.[key] !== other?.[key],
    );
    const texts = different.map((key) =>
      say('{key}{one} here, {other} there', {
        key,
        one: one?.[key] ?? say('none'),
        other: other?.[key] ?? say('none'),
      }),
    );
    return texts.length === 0 ? [] : [`${id}: ${texts.join('; ')}`];
  });
  const [mine, others] = [here, there].map(({ channels }) =>
    Object.entries(channels).flatMap(([channel, messages]) =>
      messages.map((message) => `${callOf(protocol, message, channel.split('→')[0])} ${channel}`),
    ),
  );
  return [
    ...nodes,
    ...without(mine, others).map((text) => say('{text}: on its way here only', { text })),
    ...without(others, mine).map((text) => say('{text}: on its way there only', { text })),
  ];
}

/** State and fields of a node, as texts. */
function factsOf({ nodes, crashed }: World, id: string): Readonly<Record<string, string>> {
  const { value, context } = nodes[id] ?? { value: '', context: {} };
  const fields = Object.entries(context).map(([key, field]) => [`${key} `, JSON.stringify(field)]);
  return {
    '': crashed.includes(id) ? say('crashed') : stateText(value),
    ...Object.fromEntries(fields),
  };
}

/** What of a list is not in another, each as often as it is in more. */
function without(list: readonly string[] = [], others: readonly string[] = []): readonly string[] {
  const left = [...others];
  return list.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
