import { faults, optionalCommands } from '@conclave/core/internal';
import {
  isChannelEvent,
  isUnsentInStep,
  parseCall,
  stepBefore,
} from '@conclave/core/internal/trace';
import type { Command, FaultCounts, NodeId, Protocol } from '@conclave/core/protocol';
import type { Trace, TraceLine } from '@conclave/core/trace';
import type { Budget } from '../worlds/budget.js';
import { canonical, sameData } from '../worlds/canonical.js';
import { faultsIn } from '../worlds/run-lines.js';

type Counts = FaultCounts & { readonly commands: number };

/**
 * The smallest budget in which a trace can happen. Its order is `any` where the protocol assumes
 * `fifo` and a message of the trace overtakes another one, or leaves a node whose crash loses an
 * older one; its time is `untimed` where the protocol assumes exact time and a line of the trace
 * has no time. What is left out is as the protocol assumes. Losses are those of messages that could
 * still arrive: not to a crashed node, or across a cut.
 *
 * @throws {ConclaveError} `bad-trace` for a command that the protocol does not have.
 * @example follow(protocol, topology, trace, budgetOf(protocol, trace))
 */
export function budgetOf(
  protocol: Protocol,
  { header, lines }: Trace,
): Omit<Budget, 'mayCrash' | 'commands'> & Counts {
  const given = commandsIn(protocol, lines);
  const usual = optionalCommands(protocol);
  const isUsual = given.every(({ command }) => usual.some((known) => sameData(known, command)));
  const nodes = header.get('nodes')?.split(' ') ?? [];
  const initiators = [...new Set(given.map(({ node }) => node))].sort(
    (one, other) => nodes.indexOf(one) - nodes.indexOf(other),
  );
  const { losses, hasUnsent } = lossesIn(protocol, lines);
  const isUntimed =
    (protocol.channels.time ?? 'untimed') !== 'untimed' &&
    lines.some(({ time }) => time === undefined);
  return {
    commands: mostAt(
      given.map(({ node, command }) => `${node} ${isUsual ? command.type : canonical(command)}`),
    ),
    ...(given.length > 0 && { initiators }),
    ...(!isUsual && { inputs: distinct(given.map(({ command }) => command)) }),
    ...faultsIn(lines),
    ...{ losses, partitions: partitionsIn(lines) },
    ...(hasUnsent && { unsent: true }),
    ...(header.get('unexpected') === 'discard' && { unexpected: 'discard' }),
    ...(protocol.channels.order === 'fifo' &&
      (overtakes(lines) || losesOlder(lines)) && { order: 'any' }),
    ...(isUntimed && { time: 'untimed' }),
  };
}

interface Given {
  readonly node: NodeId;
  readonly command: Command;
}

/** The commands that were given; without the obligatory ones, which are not counted. */
const commandsIn = ({ commands }: Protocol, lines: readonly TraceLine[]): readonly Given[] =>
  lines.flatMap(({ node, event }) => {
    if (event.kind !== 'command') return [];
    const command = parseCall(commands, event.call);
    return commands[command.type]?.kind === 'obligatory' ? [] : [{ node, command }];
  });

/** How often the most frequent one occurs. */
function mostAt(keys: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

const distinct = (commands: readonly Command[]): readonly Command[] =>
  commands.filter(
    (command, index) => commands.findIndex((other) => sameData(other, command)) === index,
  );

/**
 * The losses that a budget has to allow, and whether a crash lost what its node sent in earlier
 * steps.
 */
function lossesIn({ crashNotice }: Protocol, lines: readonly TraceLine[]) {
  const state = { crashed: new Set<NodeId>(), cut: new Set<string>() };
  const isFree = ({ node }: TraceLine, from: NodeId) =>
    state.crashed.has(node) || state.cut.has(`${from}→${node}`); // it cannot arrive
  let losses = 0;
  let hasUnsent = false;
  for (const [index, line] of lines.entries()) {
    note(state, line);
    const { event } = line;
    if (event.kind !== 'drop' || isUnsentInStep(lines, index)) continue;
    if (crashNotice !== undefined && state.crashed.has(event.from))
      hasUnsent = true; // its network loses nothing else
    else if (!isFree(line, event.from)) losses++;
  }
  return { losses, hasUnsent };
}

/** Notes which nodes are down and which channels are cut after a line. */
function note(
  { crashed, cut }: { readonly crashed: Set<NodeId>; readonly cut: Set<string> },
  { node, event }: TraceLine,
): void {
  if (event.kind === 'crash') crashed.add(node);
  if (event.kind === 'restart') crashed.delete(node);
  if (event.kind === 'cut') cut.add(`${event.from}→${node}`);
  if (event.kind === 'heal') cut.delete(`${event.from}→${node}`);
}

/** How often the network is split: the cuts of one moment are one split. */
const partitionsIn = (lines: readonly TraceLine[]): number =>
  lines.filter(({ event, time }, index) => {
    const before = lines[index - 1];
    return event.kind === 'cut' && (before?.event.kind !== 'cut' || before.time !== time);
  }).length;

/**
 * Whether a crash in the middle of a step loses a message, and not a later one of the same step and
 * channel.
 */
function losesOlder(lines: readonly TraceLine[]): boolean {
  return lines.some(({ node: to, event }, at) => {
    if (event.kind !== 'drop' || !isUnsentInStep(lines, at)) return false;
    const crash = stepBefore(lines, at);
    const end = lines.findIndex((line, index) => index > crash && !isChannelEvent(line));
    const lost = lines
      .slice(crash, end < 0 ? lines.length : end)
      .flatMap(({ node, event: other }) => {
        return node === to && other.kind === 'drop' && other.from === event.from
          ? [other.call]
          : [];
      });
    const sent = lines[stepBefore(lines, crash)]?.effects.flatMap((effect) =>
      effect.kind === 'send' && effect.to === to ? [effect.call] : [],
    );
    return !sameData(sent?.slice(-lost.length).sort(), lost.sort());
  });
}

/** Whether a message of a trace arrives before one that was sent before it on the same channel. */
function overtakes(lines: readonly TraceLine[]): boolean {
  /**
   * By channel: what may be in flight on it. Which of several equal messages is lost, a trace does
   * not tell.
   */
  const channels = new Map<string, readonly (readonly string[])[]>();
  for (const { node, event, effects } of lines) {
    if ('call' in event && event.kind !== 'command') {
      const key = `${event.from}→${node}`;
      const left = (channels.get(key) ?? [[]]).flatMap((queue) =>
        afterEvent(queue, event.kind, event.call),
      );
      if (left.length === 0) return true;
      channels.set(key, [...new Map(left.map((queue) => [queue.join('\n'), queue])).values()]);
    }
    for (const effect of effects) {
      if (effect.kind !== 'send') continue;
      const key = `${node}→${effect.to}`;
      channels.set(
        key,
        (channels.get(key) ?? [[]]).map((queue) => [...queue, effect.call]),
      );
    }
  }
  return false;
}

/** What may be in flight after an event: with `fifo` the oldest message arrives. */
function afterEvent(
  queue: readonly string[],
  kind: 'deliver' | faults.ChannelFault,
  call: string,
): readonly (readonly string[])[] {
  if (kind === 'deliver') return queue[0] === call ? [queue.slice(1)] : [];
  const places = queue.flatMap((known, index) => (known === call ? [index] : []));
  return places.map((place) =>
    queue.toSpliced(place, 1, ...faults.channelFaults[kind].leaves(call)),
  );
}
