import type { System } from './system.js';

/** What the environment of a system may do, in short phrases. */
export function budgetTexts({ protocol, worlds, setup: { budget } }: System): readonly string[] {
  const {
    commands = 1,
    initiators,
    losses = 0,
    duplications = 0,
    crashes = 0,
    restarts = 0,
    partitions = 0,
  } = budget;
  const { atomicSteps, unsent } = budget;
  const { optional } = worlds.commands;
  const most = (count: number, one: string, many: string): string[] =>
    count === 0 ? [] : [count === 1 ? `at most one ${one}` : `at most ${count} ${many}`];
  const times = commands === 1 ? 'once' : commands === 2 ? 'twice' : `${commands} times`;
  const types = [...new Set(optional.map(({ type }) => type))].join(', ');
  const faults = [
    ...most(losses, 'message lost', 'messages lost'),
    ...most(duplications, 'message duplicated', 'messages duplicated'),
    ...most(crashes, 'crash', 'crashes').map(
      (text) => `${text} ${atomicSteps ? 'between steps' : 'between or inside steps'}`,
    ),
    ...most(restarts, 'restart', 'restarts'),
    ...most(partitions, 'split', 'splits'),
  ];
  return [
    ...(optional.length === 0 || commands === 0
      ? ['no commands']
      : [`${types} ${times} at ${initiators?.join(', ') ?? 'each node'}`]),
    worlds.order === 'fifo' ? 'channels keep the order' : 'messages may overtake each other',
    ...(faults.length === 0 ? ['no faults'] : faults),
    ...(unsent ? ['a crash may lose what was sent in earlier steps'] : []),
    ...(protocol.channels.time === undefined && !worlds.clockwork
      ? []
      : [worlds.clockwork ? 'exact time' : 'no time: timers fire at any moment']),
  ];
}
