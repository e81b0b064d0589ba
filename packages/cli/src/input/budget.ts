import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { counted } from '../output/numbers.js';
import { competes, initiatorsText, nothingToWish, wishesOf } from './workload.js';

interface BudgetOptions {
  readonly entries?: number | undefined;
  readonly initiators?: readonly string[] | undefined;
  readonly order?: 'fifo' | 'any' | undefined;
  readonly loss: number;
  readonly duplicate: number;
  readonly crash: number;
  readonly restart: number;
}

/** How much the environment may do in a check, as the explorer takes it. */
export interface CheckBudget {
  readonly wishes: number;
  readonly initiators?: readonly string[];
  readonly order: 'fifo' | 'any';
  readonly losses: number;
  readonly duplications: number;
  readonly crashes: number;
  readonly restarts: number;
}

/**
 * What may happen in a check: each initiator has each wish at most `entries` times, the channels and nodes fail at most as often as said.
 *
 * @throws {ConclaveError} `bad-input` for wishes of a protocol that has none, and restarts where nothing crashes.
 */
export function budgetFor(protocol: Protocol, options: BudgetOptions): CheckBudget {
  const { entries = 1, initiators, order = protocol.channels.order, loss, duplicate, crash, restart } = options;
  const [surplus] = (['entries', 'initiators'] as const).filter((option) => options[option] !== undefined);
  if (surplus !== undefined && wishesOf(protocol).length === 0) throw nothingToWish(protocol, surplus);
  if (restart > 0 && crash === 0)
    throw new ConclaveError('bad-input', `--restart ${restart} leads nowhere where nobody crashes`, 'Add --crash 1.');
  return {
    wishes: entries,
    ...(initiators ? { initiators } : {}),
    order,
    losses: loss,
    duplications: duplicate,
    crashes: crash,
    restarts: restart,
  };
}

/** The budget in words: what the application may wish, what channels and nodes may do. */
export function budgetRows(protocol: Protocol, budget: CheckBudget): string[][] {
  const { order, losses, duplications, crashes, restarts } = budget;
  const channels = [`order ${order}`, ...atMost(losses, 'message lost', 'messages lost'), ...atMost(duplications, 'doubled', 'doubled')];
  const faults = [...atMost(crashes, 'crash', 'crashes'), ...atMost(restarts, 'restart')];
  return [
    ['channels', channels.join(', ')],
    ['workload', wishesText(protocol, budget)],
    ...(faults.length === 0 ? [] : [['faults', faults.join(', ')]]),
  ];
}

const atMost = (count: number, one: string, many?: string): string[] => (count === 0 ? [] : [`up to ${counted(count, one, many)}`]);

function wishesText(protocol: Protocol, { wishes, initiators }: CheckBudget): string {
  const names = wishesOf(protocol).map((type) => `'${type}'`);
  const who = initiatorsText(initiators);
  if (names.length === 0) return 'nothing told to anybody';
  if (competes(protocol)) return `up to ${counted(wishes, 'entry', 'entries')} by ${who}`;
  return `${names.join(' and ')} told to ${who}${wishes === 1 ? '' : ` up to ${wishes} times`}`;
}
