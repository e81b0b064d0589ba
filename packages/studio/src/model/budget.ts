import type { Setup } from '../link/link.js';
import { say, type Text } from '../texts/say.js';
import type { System } from './system.js';

/** The parts of a budget that a link can hold. */
export type StudioBudget = Setup['budget'];

/** What the environment of a system may do, in short phrases. */
export function budgetTexts({ protocol, worlds, setup: { budget } }: System): readonly string[] {
  const { initiators, losses, duplications, crashes, restarts, partitions } = budget;
  const { atomicSteps, unsent, mayCrash, unexpected } = budget;
  const { optional, isUnlimited } = worlds.commands;
  const { commands = isUnlimited ? 'unlimited' : 1 } = budget;
  const most = (count = 0, one: Text, many: Text, when = ''): string[] => {
    const what = count === 1 ? say(one) : say(many);
    if (count === 0) return [];
    return [
      count === 1
        ? say('at most one {what}{when}', { what, when })
        : say('at most {count} {what}{when}', { count, what, when }),
    ];
  };
  const times =
    commands === 'unlimited'
      ? say('any number of times')
      : commands === 1
        ? say('once')
        : commands === 2
          ? say('twice')
          : say('{commands} times', { commands });
  const types = [...new Set(optional.map(({ type }) => type))].join(', ');
  const faults = [
    ...most(losses, 'message lost', 'messages lost'),
    ...most(duplications, 'message duplicated', 'messages duplicated'),
    ...most(
      crashes,
      'crash',
      'crashes',
      say(atomicSteps ? ' between steps' : ' between or inside steps'),
    ),
    ...most(restarts, 'restart', 'restarts'),
    ...most(partitions, 'split', 'splits'),
  ];
  return [
    ...(optional.length === 0 || commands === 0
      ? [say('no commands')]
      : [
          say('{types} {times} at {nodes}', {
            types,
            times,
            nodes: initiators?.join(', ') ?? say('each node'),
          }),
        ]),
    say(worlds.order === 'fifo' ? 'channels keep the order' : 'messages may overtake each other'),
    ...(faults.length === 0 ? [say('no faults')] : faults),
    ...(unsent ? [say('a crash may lose what was sent in earlier steps')] : []),
    ...(mayCrash ? [say('crashes only in {mayCrash}', { mayCrash: mayCrash.join(', ') })] : []),
    ...(unexpected === 'discard' ? [say('unexpected messages are discarded')] : []),
    ...(protocol.channels.time === undefined && !worlds.clockwork
      ? []
      : [say(worlds.clockwork ? 'exact time' : 'no time: timers fire at any moment')]),
  ];
}
