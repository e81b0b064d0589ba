import { lossesTolerated } from '@conclave/core/internal/protocol';
import { say, type Text } from '../texts/say.js';
import { mostToSplit } from './larger-budget.js';
import type { StudioBudget } from './studio-budget.js';
import { crashesOn, type System } from './system.js';

/** A change of the budget that may break a protocol, to learn what its assumptions are for. */
export interface WhatIf {
  /** Completes the sentence 'What if …?'. */
  readonly text: string;
  readonly change: StudioBudget;
  /** The assumption of the protocol that it breaks; undefined where the protocol should bear it. */
  readonly breaks?: string;
}

/**
 * What might be tried on a system: one more of each fault, another order of messages, one more
 * command.
 */
export function whatIfs({ protocol, topology, worlds, setup }: System): readonly WhatIf[] {
  const { channels, tolerates = [], crashNotice } = protocol;
  const { budget } = setup;
  const { losses = 0, duplications = 0, crashes = 0, restarts = 0, partitions = 0 } = budget;
  const { commands = 1 } = budget;
  // its network loses and duplicates nothing: the budget would be refused
  const reports = crashNotice !== undefined;
  const inSteps = crashesOn(topology);
  const breaks = (isAssumed: boolean, assumption: Text) => isAssumed && { breaks: say(assumption) };
  const all: readonly (WhatIf | false)[] = [
    !reports && {
      text: say(losses === 0 ? 'one message is lost' : 'one more message is lost'),
      change: { losses: losses + 1 },
      ...breaks(
        losses >= lossesTolerated(channels),
        channels.loss ? 'channels lose no more' : 'channels lose nothing',
      ),
    },
    !reports && {
      text: say(
        duplications === 0 ? 'one message is duplicated' : 'one more message is duplicated',
      ),
      change: { duplications: duplications + 1 },
      ...breaks(!channels.duplication, 'channels duplicate nothing'),
    },
    channels.order === 'fifo' &&
      worlds.order === 'fifo' && {
        text: say('messages overtake each other'),
        change: { order: 'any' },
        breaks: say('channels keep the order'),
      },
    {
      text: say(crashes === 0 ? 'one node crashes' : 'one more node crashes'),
      change: { crashes: crashes + 1, ...inSteps },
      ...breaks(!tolerates.includes('crash'), 'nodes do not crash'),
    },
    crashes > 0 &&
      budget.atomicSteps === true &&
      !inSteps.atomicSteps && {
        text: say('nodes crash in the middle of a step, too'),
        change: { atomicSteps: false },
      },
    crashes > 0 &&
      !budget.unsent && {
        text: say('a crash loses what the node sent in earlier steps, too'),
        change: { unsent: true },
      },
    {
      text:
        crashes > 0
          ? say(restarts === 0 ? 'a crashed node restarts' : 'one more node restarts')
          : say('one node crashes and restarts'),
      change: { crashes: Math.max(crashes, 1), restarts: restarts + 1, ...inSteps },
      ...breaks(!tolerates.includes('restart'), 'crashed nodes do not come back'),
    },
    !reports &&
      topology.nodes.length > 1 &&
      topology.nodes.length <= mostToSplit && {
        text: say(partitions === 0 ? 'the network splits' : 'the network splits once more'),
        change: { partitions: partitions + 1 },
        ...breaks(!channels.loss, 'channels lose nothing'),
      },
    ...timeChanges(budget.time ?? channels.time),
    worlds.commands.optional.length > 0 && {
      text: say('each node gets each command {times}', {
        times: commands === 1 ? say('twice') : say('{commands} times', { commands: commands + 1 }),
      }),
      change: { commands: commands + 1 },
    },
  ];
  return all.filter((one) => one !== false);
}

/** What of exact time may be otherwise. */
function timeChanges(time: StudioBudget['time']): readonly WhatIf[] {
  if (time === undefined || time === 'untimed') return [];
  const { delay, messages = {}, drift = 0, tick: _, ...others } = time;
  const exact = { delay, messages, drift, ...others };
  const slower = ([least, most]: typeof delay) => [least, slowFactor * most] as const;
  const assumed = Math.max(delay[1], ...Object.values(messages).map(([, most]) => most));
  const more = drift === 0 ? 0.5 : Math.min(0.9, Math.round(drift * 20e6) / 1e6);
  return [
    {
      text: say('messages are slow: up to {slowFactor} times as long on their way', { slowFactor }),
      change: {
        time: {
          ...exact,
          delay: slower(delay),
          messages: Object.fromEntries(
            Object.entries(messages).map(([type, interval]) => [type, slower(interval)]),
          ),
        },
      },
      breaks: say('messages take at most {assumed} ms', { assumed }),
    },
    {
      text: say('timers fire early or late, by up to {percent} %', {
        percent: Math.round(100 * more),
      }),
      change: { time: { ...exact, drift: more } },
      breaks:
        drift === 0
          ? say('clocks do not drift')
          : say('clocks drift by at most {percent} %', { percent: 100 * drift }),
    },
    {
      text: say('timers fire at any moment'),
      change: { time: 'untimed' },
      breaks: say('messages and timers keep their times'),
    },
  ];
}

const slowFactor = 10;
