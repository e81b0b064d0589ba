/** What the environment of a protocol does: application, channels, faults. */
import { choices } from '@conclave/core/options';
import { type ConclaveError, optionalCommands, type Protocol } from '@conclave/core/protocol';
import { badInput } from '../errors.js';
import { counted } from '../output/text.js';
import { choice, count, defined, initiators, measureAbove0, parsed, type ValuesOf } from './options.js';

/** Whether nodes of this protocol compete for a critical section. */
export const competes = ({ commands }: Protocol): boolean => 'acquire' in commands && 'release' in commands;

/** Which nodes get commands, in words. */
export const initiatorsText = (nodes: readonly string[] | undefined): string => nodes?.join(', ') ?? 'every node';

/** The workload of a protocol without optional commands. */
export const noCommands = 'no commands';

/** The error for an option about optional commands, which the protocol does not have. */
export const hasNoCommand = ({ title }: Protocol, option: string): ConclaveError =>
  badInput(`--${option} has no effect: ${title} has no optional command`, 'Leave it out.');

interface Channels {
  readonly order: 'fifo' | 'any';
  /** How much is lost, and delivered twice: a number or a probability. */
  readonly loss: number;
  readonly duplication: number;
  readonly partitions?: number;
}

/** How these channels break the assumptions of the protocol. It is allowed: it shows what an assumption is for. */
export function beyondAssumptions(
  { title, channels }: Protocol,
  { order, loss, duplication, partitions = 0 }: Channels,
): readonly string[] {
  const broken: readonly (readonly [boolean, string])[] = [
    [channels.order === 'fifo' && order === 'any', 'keep the order; --order any does not.'],
    [!channels.loss && loss > 0, `lose nothing; --loss ${loss} does.`],
    [!channels.duplication && duplication > 0, `deliver once; --duplicate ${duplication} does not.`],
    [!channels.loss && partitions > 0, 'lose nothing; a partition loses what crosses it.'],
  ];
  return broken.flatMap(([isBroken, assumption]) => (isBroken ? [`${title} assumes channels that ${assumption}`] : []));
}

/** The options of `check` about the environment. */
export const budgetOptions = {
  entries: parsed('k', 'how many commands each initiator gets, such as to enter the critical section (default: 1)', count),
  initiators: parsed('nodes', 'which nodes get commands: all, or some such as a,b (default: all)', initiators),
  order: choice('order', choices.order, 'whether each channel keeps the order'),
  loss: parsed('n', 'how many messages may be lost (default: 0)', count),
  duplicate: parsed('n', 'how many messages may be duplicated (default: 0)', count),
  crash: parsed('n', 'how many nodes may crash (default: 0)', count),
  restart: parsed('n', 'how many crashed nodes may restart (default: 0)', count),
  partition: parsed('n', 'how many times the network may split in two (default: 0)', count),
  time: choice('model', choices.time, 'when timers fire: untimed, at any moment; bounded, as messages that take a bounded time allow'),
  delay: parsed('ms', 'how long a message takes at most, with --time bounded (default: 100)', measureAbove0('milliseconds')),
};

/**
 * The budget that the options give; by default, each node gets each optional command once and nothing fails.
 *
 * @throws {ConclaveError} `bad-input` for commands to a protocol that has none, and for restarts without crashes.
 */
export function budgetFor(protocol: Protocol, options: ValuesOf<typeof budgetOptions>) {
  const { entries = 1, initiators, order = protocol.channels.order, time = protocol.channels.time ?? 'untimed', delay } = options;
  const { loss: losses = 0, duplicate: duplications = 0, crash: crashes = 0, restart: restarts = 0, partition: partitions = 0 } = options;
  const [surplus] = (['entries', 'initiators'] as const).filter((option) => options[option] !== undefined);
  if (surplus !== undefined && optionalCommands(protocol).length === 0) throw hasNoCommand(protocol, surplus);
  if (restarts > 0 && crashes === 0) throw badInput(`--restart ${restarts} has no effect where no node crashes`, 'Add --crash 1.');
  return {
    ...{ commands: entries, order, losses, duplications, crashes, restarts, partitions, time },
    ...defined({ initiators, delay }),
  };
}

/** How much the environment may do in a check, as the explorer takes it. */
export type CheckBudget = ReturnType<typeof budgetFor>;

/** The explorer's default, in milliseconds. */
const usualDelay = 100;

/** The budget in words. */
export function budgetRows(protocol: Protocol, budget: CheckBudget): string[][] {
  const { order, losses, duplications, crashes, restarts, partitions, time, delay = usualDelay } = budget;
  const channels = [
    `order ${order}`,
    ...atMost(losses, 'message lost', 'messages lost'),
    ...atMost(duplications, 'duplicated', 'duplicated'),
  ];
  const faults = [...atMost(crashes, 'crash', 'crashes'), ...atMost(restarts, 'restart'), ...atMost(partitions, 'partition')];
  return [
    ['channels', channels.join(', ')],
    ['workload', workloadText(protocol, budget)],
    ...(faults.length === 0 ? [] : [['faults', faults.join(', ')]]),
    ...(time === 'untimed' ? [] : [['timers', `as messages that take up to ${delay} ms allow`]]),
  ];
}

const atMost = (count: number, one: string, many?: string): string[] => (count === 0 ? [] : [`up to ${counted(count, one, many)}`]);

function workloadText(protocol: Protocol, { commands, initiators }: CheckBudget): string {
  const names = optionalCommands(protocol).map(({ type }) => `'${type}'`);
  const who = initiatorsText(initiators);
  if (names.length === 0) return noCommands;
  if (competes(protocol)) return `up to ${counted(commands, 'entry', 'entries')} by ${who}`;
  return `${names.join(' and ')} to ${who}${commands === 1 ? '' : `, up to ${commands} times`}`;
}
