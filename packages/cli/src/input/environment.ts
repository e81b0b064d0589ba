/** What the environment of a protocol does: application, channels, faults. */
import { usualCommands } from '@conclave/check/internal';
import { choices, faults, optionalCommands, readable } from '@conclave/core/internal';
import type { ConclaveError, ExactTime, Protocol, TimeModel } from '@conclave/core/protocol';
import { badInput } from '../errors.js';
import { counted } from '../output/text.js';
import {
  choice,
  count,
  defined,
  drift,
  flag,
  initiators,
  interval,
  names,
  parsed,
  someOf,
  stays,
  type ValuesOf,
} from './options.js';

/** Which nodes get commands, in words. */
export const initiatorsText = (nodes: readonly string[] | undefined): string =>
  nodes?.join(', ') ?? 'every node';

/** Whether nodes of this protocol compete for a critical section. */
export const isCompetition = ({ commands }: Protocol): boolean =>
  'acquire' in commands && 'release' in commands;

/** The workload of a protocol without optional commands. */
export const noCommands = 'no commands';

/** The error for an option about optional commands, which the protocol does not have. */
export const hasNoCommand = ({ title }: Protocol, option: string): ConclaveError =>
  badInput(`--${option} has no effect: ${title} has no optional command`, 'Leave it out.');

/**
 * How these channels break the assumptions of the protocol. It is allowed: it shows what an
 * assumption is for.
 */
export function beyondAssumptions(
  protocol: Protocol,
  order: 'fifo' | 'any',
  /** How often, or with which probability, a fault happens. */
  given: (fault: (typeof faults.channelFaultRows)[number]) => number,
): readonly string[] {
  const { title, channels } = protocol;
  const broken: readonly (readonly [boolean, string])[] = [
    [channels.order === 'fifo' && order === 'any', 'keep the order; --order any does not.'],
    ...faults.channelFaultRows.map((row) => {
      const [much, most] = [given(row), faults.tolerated(protocol, row.count)];
      const assumption =
        most > 0
          ? `${row.verb} at most ${counted(most, 'message')}; --${row.option} ${much} is more.`
          : `${row.verb} nothing; --${row.option} ${much} does.`;
      return [much > most, assumption] as const;
    }),
  ];
  return broken.flatMap(([isBroken, assumption]) =>
    isBroken ? [`${title} assumes channels that ${assumption}`] : [],
  );
}

type FaultOption = (typeof faults.kinds)[faults.FaultName]['option'];

/** A value for each fault, by its option. */
const perFaultOption = <T>(of: (name: faults.FaultName) => T) =>
  Object.fromEntries(
    faults.faultNames.map((name) => [faults.kinds[name].option, of(name)]),
  ) as Readonly<Record<FaultOption, T>>; // of each

/** The options of `check` about the environment. */
export const budgetOptions = {
  entries: parsed(
    'k',
    'how many commands each initiator gets; unlimited: any number, as the events of a bare machine (default: 1)',
    (text: string): number | 'unlimited' => (text === 'unlimited' ? text : count(text)),
  ),
  initiators: parsed(
    'nodes',
    'which nodes get commands: all, or some such as a,b (default: all)',
    initiators,
  ),
  order: choice('order', choices.order, 'whether each channel keeps the order'),
  ...perFaultOption((name) => parsed('n', `${faults.kinds[name].help} (default: 0)`, count)),
  crashIn: parsed(
    'places',
    'with --crash: nodes crash only in states with one of these tags, or in these roles, such as critical,waiting; !critical: only elsewhere',
    names,
  ),
  atomicSteps: flag('with --crash: nodes crash between steps only; a step sends all or nothing'),
  unsent: flag(
    'with --crash: a crash may also lose what the node sent in earlier steps, as long as it is in flight',
  ),
  unexpected: choice(
    'what',
    choices.unexpected,
    'a message that its receiver does not handle: refuse, it is a violation and ends the run; discard, the run goes on without it (default: refuse)',
  ),
  time: choice(
    'model',
    choices.time,
    'untimed: a message arrives, and a timer fires, at any moment; exact: within --delay, and at its time',
  ),
  delay: parsed(
    'least:most',
    'how long a message takes, in milliseconds, with --time exact',
    interval,
  ),
  stay: parsed(
    'tag=least:most',
    'how long a node stays in states with this tag, in milliseconds, with --time exact; may be repeated',
    stays,
  ),
  drift: parsed(
    'ratio',
    'how much clocks drift, such as 0.01: a timer fires after 0.99 to 1.01 times its delay; with --time exact (default: 0)',
    drift,
  ),
};

/**
 * The budget that the options give; by default, each node gets each optional command once and
 * nothing fails.
 *
 * @throws {ConclaveError} `bad-input` for commands to a protocol that has none, and for what only
 * crashes need where nothing crashes.
 */
export function budgetFor(protocol: Protocol, options: ValuesOf<typeof budgetOptions>) {
  const { initiators, order = protocol.channels.order } = options;
  const { entries = usualCommands(protocol) } = options;
  const counts = faults.perFault((name) => options[faults.kinds[name].option] ?? 0);
  const { crashes, restarts } = counts;
  const { atomicSteps = false, unsent = false, crashIn: mayCrash } = options;
  const unexpected = options.unexpected === 'discard' ? options.unexpected : undefined;
  const [surplus] = (['entries', 'initiators'] as const).filter(
    (option) => options[option] !== undefined,
  );
  if (surplus !== undefined && optionalCommands(protocol).length === 0)
    throw hasNoCommand(protocol, surplus);
  const ofCrashes = Object.entries({
    [`--restart ${restarts}`]: restarts > 0,
    '--atomic-steps': atomicSteps,
    '--unsent': unsent,
    '--crash-in': mayCrash !== undefined,
  });
  const [idle] = ofCrashes.flatMap(([option, isGiven]) =>
    isGiven && crashes === 0 ? [option] : [],
  );
  if (idle !== undefined)
    throw badInput(`${idle} has no effect where no node crashes`, 'Add --crash 1.');
  return {
    ...{ commands: entries, order, ...counts },
    ...{ time: timeFor(protocol, options) },
    ...(atomicSteps && { atomicSteps }),
    ...(unsent && { unsent }),
    ...defined({ initiators: someOf(initiators), mayCrash, unexpected }),
  };
}

/** The model of time that the options give, or the protocol's own. */
function timeFor(
  { title, channels }: Protocol,
  { time, delay, stay, drift }: ValuesOf<typeof budgetOptions>,
): TimeModel {
  const own = channels.time ?? 'untimed';
  const asked = time ?? (own === 'untimed' ? 'untimed' : 'exact');
  const given = Object.entries({ delay, stay, drift }).find(([, value]) => value !== undefined);
  if (asked === 'untimed') {
    if (given) throw badInput(`--${given[0]} is for exact time`, 'Add --time exact.');
    return 'untimed';
  }
  if (delay === undefined && own === 'untimed')
    throw badInput(
      `${title} does not say how long messages take`,
      'Give --time exact --delay 1:4.',
    );
  const base: ExactTime =
    delay === undefined && own !== 'untimed' ? own : { kind: 'exact', delay: delay ?? [0, 0] };
  const assumed = own === 'untimed' ? undefined : own.drift;
  return {
    ...base,
    ...defined({
      stays: stay,
      drift: drift ?? assumed,
    }),
  };
}

/** How much the environment may do in a check, as the explorer takes it. */
export type CheckBudget = ReturnType<typeof budgetFor>;

/** The budget in words. */
export function budgetRows(protocol: Protocol, budget: CheckBudget): string[][] {
  const { order, crashes, restarts, partitions, time } = budget;
  const { atomicSteps, unsent, mayCrash, unexpected } = budget;
  const inside = atomicSteps ? 'between steps' : 'between or inside steps';
  const channels = [
    `order ${order}`,
    ...faults.channelFaultRows.flatMap(({ count, counted: [one, many] }) =>
      atMost(budget[count], one, many),
    ),
  ];
  const others = [
    ...atMost(crashes, 'crash', 'crashes').map((text) => `${text} ${inside}`),
    ...(mayCrash ? [`crashes only in ${mayCrash.join(', ')}`] : []),
    ...(unsent ? ['a crash may lose what the node sent in earlier steps'] : []),
    ...atMost(restarts, 'restart'),
    ...atMost(partitions, 'partition'),
  ];
  return [
    ['channels', channels.join(', ')],
    ['workload', workloadText(protocol, budget)],
    ...(unexpected ? [['unexpected', 'messages are discarded']] : []),
    ...(others.length === 0 ? [] : [['faults', others.join(', ')]]),
    ...(time === 'untimed' ? [] : [['timing', timeText(time)]]),
  ];
}

/**
 * How this model of time breaks what the protocol assumes, in words, and the option that does;
 * undefined where it does not. It is allowed: it shows what the assumption is for.
 */
export function beyondTime(
  { title, channels }: Pick<Protocol, 'title' | 'channels'>,
  time: TimeModel,
): { readonly text: string; readonly option: 'time' | 'delay' | 'drift' } | undefined {
  const { time: own = 'untimed' } = channels;
  if (own === 'untimed') return undefined;
  const assumes = `${title} assumes that a message takes ${span(own.delay)}`;
  if (time === 'untimed')
    return { text: `${assumes}; untimed, it takes any time.`, option: 'time' };
  const { delay, drift = 0 } = time;
  const { delay: assumed, drift: ownDrift = 0 } = own;
  const isWithin = delay[0] >= assumed[0] && delay[1] <= assumed[1];
  if (!isWithin)
    return { text: `${assumes}; with --delay it takes ${span(delay)}.`, option: 'delay' };
  if (drift <= ownDrift) return undefined;
  const clocks = ownDrift === 0 ? 'do not drift' : `drift by up to ${ownDrift}`;
  return {
    text: `${title} assumes that clocks ${clocks}; with --drift they drift by up to ${drift}.`,
    option: 'drift',
  };
}

/** How a budget goes beyond what the protocol assumes, in words. */
export function warningsOf(protocol: Protocol, budget: CheckBudget): readonly string[] {
  const { title, channels } = protocol;
  const ofTime = beyondTime(protocol, budget.time);
  return [
    ...beyondAssumptions(protocol, budget.order, ({ count }) => budget[count]),
    ...(budget.partitions > 0 && !channels.loss
      ? [`${title} assumes channels that lose nothing; a partition loses what crosses it.`]
      : []),
    ...(ofTime === undefined ? [] : [ofTime.text]),
  ];
}

const span = ([least, most]: ExactTime['delay']): string =>
  `${least}${least === most ? '' : `–${most}`} ms`;

function timeText({ delay, messages = {}, links = {}, stays = {}, drift = 0 }: ExactTime): string {
  const all = (spans: Readonly<Record<string, ExactTime['delay']>>) =>
    Object.entries(spans).map(([name, interval]) => `${name} ${span(interval)}`);
  return [
    `exact; a message takes ${span(delay)}`,
    ...all(messages),
    ...all(links),
    ...all(stays),
    ...(drift === 0 ? [] : [`clocks drift by up to ${drift}`]),
  ].join(', ');
}

const atMost = (count: number, one: string, many?: string): string[] =>
  count === 0 ? [] : [`up to ${counted(count, one, many)}`];

function workloadText(protocol: Protocol, { commands, initiators }: CheckBudget): string {
  const { shown } = readable(protocol);
  const names = [...new Set(optionalCommands(protocol).map(({ type }) => `'${shown(type)}'`))];
  const who = initiatorsText(initiators);
  if (names.length === 0) return noCommands;
  if (commands === 'unlimited') return `${names.join(' and ')} to ${who}, any number of times`;
  if (isCompetition(protocol)) return `up to ${counted(commands, 'entry', 'entries')} by ${who}`;
  return `${names.join(' and ')} to ${who}${commands === 1 ? '' : `, up to ${commands} times`}`;
}
