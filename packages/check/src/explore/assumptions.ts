/**
 * What a verdict rests on, in texts that each complete the sentence 'It assumes …': the bounds of
 * the budget, the model of time, commands that were left out, and messages that nodes have
 * discarded.
 */
import { examplesOf, faults, nodesAccepting, roleOf, stateText } from '@conclave/core/internal';
import { callText } from '@conclave/core/internal/trace';
import type { Command, ExactTime, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { Trace } from '@conclave/core/trace';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { Exploration } from '../verdicts/exploration.js';
import type { Budget } from '../worlds/budget.js';
import { sameData } from '../worlds/canonical.js';
import { crashesAssumed } from '../worlds/check-budget.js';
import { timeOf } from '../worlds/time.js';

const countText = (count: number, one: string, many = `${one}s`): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];

/** What an exploration assumes because of its protocol, its budget and its model of time. */
export function assumptionsOf(
  protocol: Protocol,
  topology: Topology,
  budget: Budget,
): readonly string[] {
  const { crashes = 0, atomicSteps, unsent } = budget;
  const time = timeOf(protocol, budget);
  const most = faults.faultNames.flatMap((name) => {
    const [one, many] = faults.kinds[name].counted;
    return countText(budget[name] ?? 0, one, many);
  });
  return [
    ...(most.length === 0 ? [] : [`that no more fails than this: at most ${most.join(', ')}`]),
    ...(crashes > 0 && atomicSteps
      ? ['that nodes crash between steps only, not while they send']
      : []),
    ...(crashes > 0 && !unsent
      ? ['that a crash loses nothing of what the node sent in earlier steps']
      : []),
    ...(crashes > 0 ? crashesAssumed(budget) : []),
    ...(time === 'untimed' ? [] : timeAssumed(time)),
    ...commandsAssumed(protocol, topology, budget),
    ...(protocol.assumes ?? []),
  ];
}

/** That a run begins as the given one, where the search begins at its end. */
export const beginAssumed = (from: Trace | undefined): readonly string[] =>
  from
    ? [`that a run begins with the ${countText(from.lines.length, 'line')} of the given one`]
    : [];

/** Which commands, examples and nodes are left out. */
function commandsAssumed(
  protocol: Protocol,
  topology: Topology,
  { commands = 1, initiators = topology.nodes, inputs }: Budget,
): readonly string[] {
  const optional = Object.entries(protocol.commands).flatMap(([type, { kind, when }]) => {
    const accepting = nodesAccepting(protocol, topology, type);
    if (kind !== 'optional' || accepting.length === 0) return [];
    const mayCome = commands !== 0 && accepting.some((id) => initiators.includes(id));
    const examples = examplesOf(protocol, type);
    const explored = mayCome ? (inputs?.filter((input) => input.type === type) ?? examples) : [];
    const isExplored = (example: Command) => explored.some((other) => sameData(example, other));
    return [{ type, when, accepting, explored, isWhole: examples.every(isExplored) }];
  });
  const textOf = (command: Command) => callText(protocol.commands, command);
  const coming = optional.filter(({ explored }) => explored.length > 0);
  const isAtAll = coming.every(({ accepting }) => accepting.every((id) => initiators.includes(id)));
  const chosen = topology.nodes.filter((id) => initiators.includes(id)).join(', ');
  return [
    ...optional.flatMap(({ type, explored }) =>
      explored.length === 0 ? `that '${type}' does not come` : [],
    ),
    ...coming.flatMap(({ type, explored, isWhole }) =>
      isWhole ? [] : `that '${type}' comes only as ${explored.map(textOf).join(' or ')}`,
    ),
    ...(isAtAll ? [] : [`that optional commands come only to ${chosen}`]),
    ...(protocol.drawn ? [] : whenAssumed(coming.filter(({ when }) => !when))), // an actor ignores it elsewhere
  ];
}

/** Of commands that do not say when they may come. */
function whenAssumed(commands: readonly { readonly type: string }[]): readonly string[] {
  const names = commands.map(({ type }) => `'${type}'`).join(', ');
  if (commands.length === 0) return [];
  return commands.length === 1
    ? [
        `that ${names} comes only where the machine takes it, since the command does not say when it may come`,
      ]
    : [
        `that ${names} come only where the machine takes them, since the commands do not say when they may come`,
      ];
}

function timeAssumed({
  delay,
  messages = {},
  links = {},
  stays = {},
  drift = 0,
}: ExactTime): readonly string[] {
  const span = ([least, most]: ExactTime['delay']) =>
    least === most ? `${least} ms` : `${least} to ${most} ms`;
  return [
    `that a message takes ${span(delay)}, ${drift === 0 ? 'that timers are exact' : driftAssumed(drift)} and that steps take no time`,
    ...Object.entries(messages).map(([type, interval]) => `that '${type}' takes ${span(interval)}`),
    ...Object.entries(links).map(
      ([link, interval]) => `that a message ${link} takes ${span(interval)}`,
    ),
    ...Object.entries(stays).map(
      ([tag, interval]) => `that a node stays ${span(interval)} in states tagged '${tag}'`,
    ),
  ];
}

/** Runs in which timers of one node drift apart are explored, too, although they share a clock. */
function driftAssumed(drift: number): string {
  const millionths = Math.round(drift * 1e6);
  return `that a timer takes ${(1e6 - millionths) / 1e6} to ${(1e6 + millionths) / 1e6} times its delay, each on its own,`;
}

/** Messages of one type that nodes of one role have discarded in one state. */
type Discarded = NonNullable<Exploration['discarded']>[number];

/** What the nodes have discarded; undefined where unexpected messages are refused. */
export function discardedIn(
  compiled: Pick<CompiledWorlds, 'worlds' | 'distinctSteps'>,
): readonly Discarded[] | undefined {
  const { protocol, topology, budget } = compiled.worlds;
  if (budget.unexpected !== 'discard') return undefined;
  const found = new Map<string, Discarded>();
  for (const { id, node, state, action } of compiled.distinctSteps()) {
    if (action.type !== 'deliver' || !node.discards(state, action)) continue;
    const place = {
      role: roleOf(protocol, id, topology).name,
      state: stateText(state.value),
      message: action.message.type,
    };
    const key = JSON.stringify(place);
    found.set(key, { ...place, steps: (found.get(key)?.steps ?? 0) + 1 });
  }
  return [...found.values()];
}

/** The assumption that a verdict rests on where messages were discarded. */
export function discardsAssumed(discarded: readonly Discarded[] = []): readonly string[] {
  if (discarded.length === 0) return [];
  const places = discarded.map(({ message, state }) => `'${message}' in '${state}'`);
  return [
    `that a node discards a message that its state does not handle: ${[...new Set(places)].join(', ')}`,
  ];
}
