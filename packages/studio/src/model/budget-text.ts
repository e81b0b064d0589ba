import type { System } from './system.js';

/** What the environment of a system may do, in short phrases. */
export function budgetTexts({ protocol, worlds, setup: { budget } }: System): readonly string[] {
  const { commands = 1, initiators, losses, duplications, crashes, restarts, partitions } = budget;
  const { atomicSteps, unsent, mayCrash, unexpected } = budget;
  const { optional } = worlds.commands;
  const most = (count = 0, one: string, many = `${one}s`, when = ''): string[] =>
    count === 0 ? [] : [`at most ${count === 1 ? `one ${one}` : `${count} ${many}`}${when}`];
  const times = commands === 1 ? 'once' : commands === 2 ? 'twice' : `${commands} times`;
  const types = [...new Set(optional.map(({ type }) => type))].join(', ');
  const faults = [
    ...most(losses, 'message lost', 'messages lost'),
    ...most(duplications, 'message duplicated', 'messages duplicated'),
    ...most(
      crashes,
      'crash',
      'crashes',
      atomicSteps ? ' between steps' : ' between or inside steps',
    ),
    ...most(restarts, 'restart'),
    ...most(partitions, 'split'),
  ];
  return [
    ...(optional.length === 0 || commands === 0
      ? ['no commands']
      : [`${types} ${times} at ${initiators?.join(', ') ?? 'each node'}`]),
    worlds.order === 'fifo' ? 'channels keep the order' : 'messages may overtake each other',
    ...(faults.length === 0 ? ['no faults'] : faults),
    ...(unsent ? ['a crash may lose what was sent in earlier steps'] : []),
    ...(mayCrash ? [`crashes only in ${mayCrash.join(', ')}`] : []),
    ...(unexpected === 'discard' ? ['unexpected messages are discarded'] : []),
    ...(protocol.channels.time === undefined && !worlds.clockwork
      ? []
      : [worlds.clockwork ? 'exact time' : 'no time: timers fire at any moment']),
  ];
}
