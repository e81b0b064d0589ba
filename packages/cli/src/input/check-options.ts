import { type Command, Option } from '@commander-js/extra-typings';
import { choices } from '@conclave/core/options';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { collected, count, duration, initiators, measure, measureAbove0, positive, seed } from './option-values.js';
import { checkArgument, protocolOptions } from './protocol.js';

/** Declares `conclave check` with its options; those that are not given are undefined, so that one can tell. */
export const declareCheck = (program: Command) =>
  program
    .command('check')
    .description('look at every interleaving of a protocol on a small network')
    .argument('<protocol>', checkArgument)
    .option('--topology <spec>', 'the network, such as ring:3 or complete:3; a small one')
    .option('--for <time>', 'how long to go on to larger systems where no size is given, such as 30s or 2m (default: 10s)', duration)
    .option('--entries <k>', 'how often each initiator may wish, such as to enter the critical section (default: 1)', count)
    .option('--initiators <nodes>', 'who may wish: all, or some such as a,b (default: all)', initiators)
    .addOption(new Option('--order <order>', 'whether each channel keeps the order').choices(choices.order))
    .option('--loss <n>', 'how many messages may be lost (default: 0)', count)
    .option('--duplicate <n>', 'how many messages may come twice (default: 0)', count)
    .option('--crash <n>', 'how many nodes may crash (default: 0)', count)
    .option('--restart <n>', 'how many of the crashed may come back (default: 0)', count)
    .option('--partition <n>', 'how many times the network may split in two (default: 0)', count)
    .addOption(
      new Option('--time <model>', 'when timers fire: untimed, at any moment; bounded, as messages that take a bounded time allow').choices(
        choices.time,
      ),
    )
    .option('--delay <ms>', 'how long a message takes at most, with --time bounded (default: 100)', measureAbove0('milliseconds'))
    .addOption(
      new Option(
        '--fair <fairness>',
        'which steps are not put off for ever: weak, those that stay possible; strong, also those that recur (default: weak)',
      ).choices(choices.fairness),
    )
    .option('--safety', "ask of states only: leave out what is asked of runs ('eventually', 'leadsTo', 'atMost', 'increases')")
    .addOption(
      new Option('--search <order>', 'breadth: shortest counterexamples; depth: deep states soon (default: breadth)').choices(
        choices.search,
      ),
    )
    .addOption(
      new Option('--reduce <how>', 'leave out states that are like others by symmetry, or by the order of independent steps').choices(
        choices.reduce,
      ),
    )
    .option('--compact', 'tell states apart by 64 bits of hash: far less memory, and a small chance to overlook some')
    .option('--workers <n>', 'how many threads search (default: 1)', positive)
    .option('--max-states <n>', 'stop after so many states', count)
    .option('--max-memory <MB>', 'stop when the states take so much memory', measure('megabytes'))
    .option('--max-seconds <s>', 'stop after so long', measure('seconds'))
    .option('--max-depth <n>', 'look no further than so many steps', count)
    .option('--walks <n>', 'take so many random walks instead, which may refute and never prove', positive)
    .option('--steps <n>', 'how long each walk is at most (default: 1000)', positive)
    .option('--seed <n>', 'same seed, same walks (default: 1); with --compact, the same hash functions (default: fresh ones)', seed)
    .option(...protocolOptions.option, collected)
    .option(...protocolOptions.export)
    .option('--trace <file>', 'write the first counterexample; FILE.svg and FILE.mmd are diagrams')
    .option('--json', 'print one JSON value and nothing else');

export type CheckOptions = ReturnType<ReturnType<typeof declareCheck>['opts']>;

type Name = keyof CheckOptions;

const ofSearch: readonly Name[] = ['fair', 'search', 'reduce', 'compact', 'workers', 'maxStates', 'maxMemory', 'maxSeconds', 'maxDepth'];
const ofSystems: readonly Name[] = [
  'fair',
  'safety',
  'search',
  'reduce',
  'maxStates',
  'maxMemory',
  'maxSeconds',
  'maxDepth',
  'export',
  'json',
];

/** Whoever gives one of these says how large a system is to be looked at, or how. */
const ofOneSize: readonly Name[] = ['topology', 'entries', 'initiators', 'walks', 'steps', 'seed', 'maxStates', 'maxSeconds', 'maxDepth'];

/** How long it goes on to larger systems, in seconds, where nothing is said. */
export const usualSeconds = 10;

/** Whether the sizes of the systems are left to the check. */
export const choosesSizes = (options: CheckOptions): boolean => !ofOneSize.some(isGiven(options));

const isGiven = (options: CheckOptions) => (name: Name) => options[name] !== undefined;

/** `maxStates` as it is written: `--max-states`. */
const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const refused = (what: string, cure: string) => new ConclaveError('bad-input', what, cure);

/** @throws {ConclaveError} `bad-input` for options that have no meaning together, or for this protocol. */
export function requireConsistent({ title, symmetry, channels }: Protocol, options: CheckOptions): void {
  const { walks, search, compact, workers = 1, reduce } = options;
  const sized = options.for === undefined ? undefined : ofOneSize.find(isGiven(options));
  if (sized)
    throw refused(
      `--for goes with a check that chooses its sizes itself, which ${flagOf(sized)} does not leave to it`,
      `Leave out --for, or ${flagOf(sized)}.`,
    );
  const walking = walks === undefined ? undefined : ofSearch.find(isGiven(options));
  if (walking) throw refused(`${flagOf(walking)} goes with a search, and --walks asks for random walks`, 'Leave one of them out.');
  const ofWalks = compact ? (['steps'] as const) : (['steps', 'seed'] as const);
  const stray = walks === undefined ? ofWalks.find(isGiven(options)) : undefined;
  if (stray) throw refused(`--${stray} goes with random walks`, 'Add --walks 100.');
  const { time = channels.time } = options;
  if (options.delay !== undefined && time !== 'bounded') throw refused('--delay goes with bounded time', 'Add --time bounded.');
  if (search === 'depth' && compact) throw refused('--compact goes breadth-first only', 'Leave out --search depth, or --compact.');
  if (workers > 1 && search === 'depth') throw refused('Several workers go breadth-first only', 'Leave out --search depth, or --workers.');
  if (workers > 1 && compact) throw refused('Several workers tell states apart exactly', 'Leave out --compact, or --workers.');
  if (workers > 1 && reduce !== undefined && reduce !== 'none')
    throw refused('Several workers search without reductions', `Leave out --reduce ${reduce}, or --workers.`);
  if (reduce === 'symmetry' && !symmetry)
    throw refused(`${title} declares no symmetry`, 'Leave out --reduce symmetry, or try --reduce order.');
}

/** @throws {ConclaveError} `bad-input` for options that have no meaning for a system of plain functions. */
export function requireForSystem(name: string, options: CheckOptions): void {
  const known: ReadonlySet<string> = new Set(ofSystems);
  const surplus = Object.keys(options).find((option) => !known.has(option));
  if (surplus === 'workers')
    throw refused(
      `--workers goes with a protocol, and '${name}' is a system of plain functions, which no other thread can be sent`,
      'Leave out --workers.',
    );
  const { reduce = 'none' } = options;
  if (reduce !== 'none' && reduce !== 'symmetry')
    throw refused(`--reduce ${reduce} goes with a protocol, and '${name}' is a system of plain functions`, 'Try --reduce symmetry.');
  if (surplus === undefined) return;
  throw refused(`${flagOf(surplus)} goes with a protocol, and '${name}' is a system of plain functions`, `Leave out ${flagOf(surplus)}.`);
}
