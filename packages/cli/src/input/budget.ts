import { ConclaveError, optionalCommands, type Protocol } from '@conclave/core/protocol';
import { counted } from '../output/numbers.js';
import { competes, initiatorsText, noCommandToGive } from './workload.js';

interface BudgetOptions {
  readonly entries?: number | undefined;
  readonly initiators?: readonly string[] | undefined;
  readonly order?: 'fifo' | 'any' | undefined;
  readonly loss?: number | undefined;
  readonly duplicate?: number | undefined;
  readonly crash?: number | undefined;
  readonly restart?: number | undefined;
  readonly partition?: number | undefined;
  readonly time?: 'untimed' | 'bounded' | undefined;
  readonly delay?: number | undefined;
}

/** How much the environment may do in a check, as the explorer takes it. */
export interface CheckBudget {
  readonly commands: number;
  readonly initiators?: readonly string[];
  readonly order: 'fifo' | 'any';
  readonly losses: number;
  readonly duplications: number;
  readonly crashes: number;
  readonly restarts: number;
  readonly partitions: number;
  readonly time: 'untimed' | 'bounded';
  readonly delay?: number;
}

/**
 * What may happen in a check: each initiator has each wish at most `entries` times, the channels and nodes fail at most as often as said.
 *
 * @throws {ConclaveError} `bad-input` for wishes of a protocol that has none, and restarts where nothing crashes.
 */
export function budgetFor(protocol: Protocol, options: BudgetOptions): CheckBudget {
  const { entries = 1, initiators, order = protocol.channels.order, time = protocol.channels.time ?? 'untimed', delay } = options;
  const { loss = 0, duplicate = 0, crash = 0, restart = 0, partition = 0 } = options;
  const [surplus] = (['entries', 'initiators'] as const).filter((option) => options[option] !== undefined);
  if (surplus !== undefined && optionalCommands(protocol).length === 0) throw noCommandToGive(protocol, surplus);
  if (restart > 0 && crash === 0)
    throw new ConclaveError('bad-input', `--restart ${restart} leads nowhere where nobody crashes`, 'Add --crash 1.');
  return {
    commands: entries,
    ...(initiators ? { initiators } : {}),
    order,
    losses: loss,
    duplications: duplicate,
    crashes: crash,
    restarts: restart,
    partitions: partition,
    time,
    ...(delay === undefined ? {} : { delay }),
  };
}

/** The explorer's own, in milliseconds. */
const usualDelay = 100;

/** The budget in words: what the application may wish, what channels and nodes may do. */
export function budgetRows(protocol: Protocol, budget: CheckBudget): string[][] {
  const { order, losses, duplications, crashes, restarts, partitions, time, delay = usualDelay } = budget;
  const channels = [`order ${order}`, ...atMost(losses, 'message lost', 'messages lost'), ...atMost(duplications, 'doubled', 'doubled')];
  const faults = [
    ...atMost(crashes, 'crash', 'crashes'),
    ...atMost(restarts, 'restart'),
    ...atMost(partitions, 'split of the network', 'splits of the network'),
  ];
  return [
    ['channels', channels.join(', ')],
    ['workload', commandsText(protocol, budget)],
    ...(faults.length === 0 ? [] : [['faults', faults.join(', ')]]),
    ...(time === 'untimed' ? [] : [['timers', `as messages that take up to ${delay} ms allow`]]),
  ];
}

const atMost = (count: number, one: string, many?: string): string[] => (count === 0 ? [] : [`up to ${counted(count, one, many)}`]);

function commandsText(protocol: Protocol, { commands, initiators }: CheckBudget): string {
  const names = optionalCommands(protocol).map(({ type }) => `'${type}'`);
  const who = initiatorsText(initiators);
  if (names.length === 0) return 'nothing told to anybody';
  if (competes(protocol)) return `up to ${counted(commands, 'entry', 'entries')} by ${who}`;
  return `${names.join(' and ')} told to ${who}${commands === 1 ? '' : ` up to ${commands} times`}`;
}
