/** One run for each of many seeds: their summary. */

import { again, repeatable, withoutFlag, withoutOption } from '../output/files.js';
import {
  blocks,
  counted,
  decimal,
  few,
  heading,
  markOf,
  number,
  table,
  titleOf,
} from '../output/text.js';
import { answer, complain, type Session, stopOf, withProgressOf } from '../session.js';
import { placesOf } from '../shards/part.js';
import { foundByShards } from '../shards/sweep.js';
import {
  type Figure,
  type SeedOutcome,
  type SeedsOptions,
  type SeedsSummary,
  simulateSeeds,
  summaryOf,
} from './seeds.js';
import {
  limitText,
  type Simulated,
  type SimulateOptions,
  stepsRow,
  systemRows,
  untilOf,
} from './system.js';
import { simulateInThreads } from './threads.js';

type Options = SimulateOptions & { readonly seeds: SeedsOptions['seeds'] };

/** How many commands that repeat a violation are printed for each property; the JSON has all. */
const shownCommands = 3;

/**
 * Simulates each seed, in several threads if asked, and prints a summary.
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
export async function simulateMany(
  session: Session,
  name: string,
  system: Simulated,
  options: Options,
): Promise<void> {
  const { seeds, failFast } = options;
  const { argv, colours } = session;
  const count = seeds.to - seeds.from + 1;
  const command = (seed: number) => commandOf(argv, seed);
  const parts = await foundByShards<PackedRuns>(session, name, options, {
    ...{ item: 'seed', count },
    isLast: ({ shapes }) =>
      failFast === true && shapes.some((shape) => shape.violated !== undefined),
    run: async (shard) => {
      const { first, end } = placesOf(shard, count);
      const own = { ...options, seeds: { from: seeds.from + first, to: seeds.from + end - 1 } };
      const outcomes: SeedOutcome[] = [];
      const summary = await simulateAll(session, name, system, own, (run) => outcomes.push(run));
      return isInterruptedIn(summary, own) ? undefined : packed(outcomes);
    },
  });
  if (parts === 'answered') return;
  const summary = parts
    ? summaryOf(joined(parts, failFast))
    : await simulateAll(session, name, system, options);
  const { violations } = summary;
  const isInterrupted = isInterruptedIn(summary, options);
  const incomplete = isInterrupted
    ? `interrupted after ${number(summary.runs)} of ${counted(count, 'seed')}.`
    : (standstillText(summary) ?? stepLimitText(summary, system, options));
  session.exitCode = isInterrupted
    ? 130
    : violations.length > 0
      ? 1
      : incomplete === undefined
        ? 0
        : 2;
  answer(session, options.json, report(system, options, summary, incomplete, command), () =>
    blocks(
      heading(
        titleOf(system.options.protocol, colours),
        [...systemRows(system, `seeds ${seeds.from} to ${seeds.to}`), stepsRow(summary)],
        session,
      ),
      quantileTable(summary, colours),
      verdictsText(summary, colours),
      `${endingText(summary, options)}${incomplete === undefined ? '' : `${colours.yellow('INCOMPLETE:')} ${incomplete}\n`}`,
      ...violationTexts(summary, command, colours),
    ),
  );
  complain(session, incomplete);
}

/** Simulates each seed, in several threads if asked, and shows how far it is. */
function simulateAll(
  session: Session,
  name: string,
  system: Simulated,
  options: Options,
  onOutcome: (outcome: SeedOutcome) => void = () => {},
): Promise<SeedsSummary> {
  const { seeds, workers: threads = 1, failFast = false } = options;
  const { argv, interrupted = () => false } = session;
  const count = seeds.to - seeds.from + 1;
  const command = (seed: number) => commandOf(argv, seed);
  return withProgressOf(session, async (show) => {
    let [runs, violations] = [0, 0];
    const onRun = (outcome: SeedOutcome) => {
      runs++;
      if (outcome.violated !== undefined) violations++;
      onOutcome(outcome);
      show(
        () =>
          `simulating: ${number(runs)} of ${number(count)} seeds, ${counted(violations, 'violation')}`,
        runs / count,
      );
    };
    if (threads > 1)
      return summaryOf(
        await simulateInThreads(name, options, { seeds, threads, interrupted, command, onRun }),
      );
    const until = { ...untilOf(system.options, options), ...stopOf(session) };
    return repeatable(command(seeds.from), () =>
      simulateSeeds({ ...system.options, until, seeds, failFast, onRun }),
    );
  });
}

/** Whether seeds are missing that --fail-fast has not left out. */
const isInterruptedIn = (summary: SeedsSummary, options: Options): boolean =>
  summary.runs < options.seeds.to - options.seeds.from + 1 && !endsEarly(summary, options);

/** The command that repeats the run of one seed. */
const commandOf = (argv: readonly string[], seed: number): string =>
  again(
    ['fail-fast', 'json'].reduce(
      withoutFlag,
      ['seeds', 'workers', 'shard', 'shards', 'queue'].reduce(withoutOption, argv),
    ),
    seed,
  );

/**
 * Whether --fail-fast has left out seeds: all up to the first violation were simulated, and none
 * after it.
 */
const endsEarly = (
  { violations: [first], runs }: SeedsSummary,
  { seeds, failFast }: Options,
): boolean => failFast === true && first !== undefined && first.seed - seeds.from + 1 === runs;

/** A limit that the user gave is no reason to distrust the runs; this is one. */
function standstillText({ ended }: SeedsSummary): string | undefined {
  const still = ended['time stands still'];
  if (still === undefined) return undefined;
  return `time stands still in ${counted(still, 'run')}: the nodes take steps forever at the same moment. Give messages a --delay above 0.`;
}

/** Runs that the default limit has cut. */
function stepLimitText(
  { ended }: SeedsSummary,
  system: Simulated,
  options: Options,
): string | undefined {
  const cut = ended['step limit'];
  if (cut === undefined || options.untilSteps !== undefined) return undefined;
  return `the default limit of steps ended ${counted(cut, 'run')}: ${limitText(system, options)}`;
}

/** What `--json` prints; what is undefined is left out. */
function report(
  { options }: Simulated,
  { seeds }: Options,
  { complete, violations, ...summary }: SeedsSummary,
  incomplete: string | undefined,
  command: (seed: number) => string,
) {
  const { protocol, topology } = options;
  return {
    ...{ protocol: protocol.name, topology: topology.spec, nodes: topology.nodes.length, seeds },
    ...summary,
    complete: incomplete === undefined && complete === summary.runs,
    incomplete,
    violations: violations.map((violation) => ({ ...violation, again: command(violation.seed) })),
  };
}

/** A figure a line, in columns. */
function quantileTable(
  { runs, entries, messages, virtualMs, wait, synchronisationDelay }: SeedsSummary,
  { dim }: Session['colours'],
): string {
  const row = (label: string, values: Figure | undefined): readonly string[][] => {
    if (!values) return [];
    const { min, p5, median, p95, max } = values;
    return [[label, ...[min, p5, median, p95, max].map(decimal), meanText(values)]];
  };
  const rows = [
    ...row('messages', messages),
    ...row('virtual ms', virtualMs),
    ...row(`wait, ms (${counted(entries, 'entry', 'entries')})`, wait),
    ...row('hand-over, ms', synchronisationDelay),
  ];
  if (rows.length === 0) return '';
  const head = [counted(runs, 'run'), 'min', '5 %', 'median', '95 %', 'max', 'mean'];
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const text = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? dim(cell.padEnd(widths[0] ?? 0)) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [head, ...rows].map((cells) => `${text(cells)}\n`).join('');
}

/** The mean of the runs, and how far the 95 % confidence interval goes to both sides. */
const meanText = ({ mean, interval }: Figure): string =>
  interval ? `${decimal(mean)} ± ${decimal(interval[1] - mean)}` : decimal(mean);

/** A property a line: the mark of its worst verdict, and in how many runs it got each. */
function verdictsText({ properties }: SeedsSummary, colours: Session['colours']): string {
  return table(
    properties.map(({ name, kind, verdicts }) => {
      const worst = worstFirst.find((verdict) => verdicts[verdict] !== undefined) ?? 'incomplete';
      const given = worstFirst.flatMap((verdict) =>
        verdicts[verdict] === undefined ? [] : `${verdict} ${number(verdicts[verdict])}`,
      );
      return [markOf(worst, colours, ['violated']), name, colours.dim(kind), given.join(', ')];
    }),
  );
}

/** A `sometimes` that some run has reached is reached. */
const worstFirst = ['violated', 'reached', 'incomplete', 'holds', 'vacuous', 'unreached'] as const;

/** How the runs ended. */
function endingText(summary: SeedsSummary, options: Options): string {
  const { runs, ended } = summary;
  const ways = Object.entries(ended).map(([way, count]) => `${way} ${number(count)}`);
  const next = options.seeds.from + runs;
  const leftOut =
    endsEarly(summary, options) && next <= options.seeds.to
      ? ` Left out by --fail-fast: seeds ${next} to ${options.seeds.to}.`
      : '';
  return `${[counted(runs, 'run'), ...(ways.length === 0 ? [] : [ways.join(', ')])].join(': ')}.${leftOut}\n`;
}

/**
 * For each property that was violated: how often, and the commands that repeat the first
 * violations.
 */
function violationTexts(
  { violations }: SeedsSummary,
  command: (seed: number) => string,
  { red }: Session['colours'],
): readonly string[] {
  const names = [...new Set(violations.map(({ violated }) => violated))];
  return names.map((name) => {
    const seeds = violations.filter(({ violated }) => violated === name).map(({ seed }) => seed);
    const shown = seeds.slice(0, shownCommands).map((seed) => `${command(seed)}\n`);
    const others = seeds.slice(shownCommands);
    const more = others.length === 0 ? '' : `and with the seeds ${few(others.map(String), ', ')}\n`;
    return `${red('✗')} ${name}, violated with ${counted(seeds.length, 'seed')}:\n${shown.join('')}${more}`;
  });
}

// What the runs of one shard have shown, as plain data that takes little room.

type Shape = Pick<
  SeedOutcome,
  'host' | 'hostReason' | 'ended' | 'complete' | 'properties' | 'violated' | 'fault'
>;

/** A run: its seed, the place of its shape, and its figures. */
type PackedRun = readonly [
  seed: number,
  shape: number,
  steps: number,
  confirmed: number | null,
  messages: number,
  virtualMs: number,
  synchronisationDelay: number | null,
  waits: readonly number[],
];

interface PackedRuns {
  /** What many runs have in common, each once. */
  readonly shapes: readonly Shape[];
  readonly runs: readonly PackedRun[];
}

function packed(outcomes: readonly SeedOutcome[]): PackedRuns {
  const shapes = new Map<string, { readonly shape: Shape; readonly place: number }>();
  const runs = outcomes
    .toSorted((a, b) => a.seed - b.seed)
    .map((outcome): PackedRun => {
      const { seed, steps, messages, virtualMs, waits, ...others } = outcome;
      const { confirmed = null, synchronisationDelay = null, ...shape } = others;
      const key = JSON.stringify(shape);
      const known = shapes.get(key) ?? { shape, place: shapes.size };
      shapes.set(key, known);
      return [
        ...([seed, known.place, steps, confirmed, messages, virtualMs] as const),
        synchronisationDelay,
        Array.from(waits),
      ];
    });
  return { shapes: [...shapes.values()].map(({ shape }) => shape), runs };
}

const unpacked = ({ shapes, runs }: PackedRuns): readonly SeedOutcome[] =>
  runs.flatMap(
    ([seed, place, steps, confirmed, messages, virtualMs, synchronisationDelay, waits]) => {
      const shape = shapes[place];
      if (!shape) return []; // packed has written its place
      return {
        ...{ ...shape, seed, steps, messages, virtualMs, waits: Float64Array.from(waits) },
        ...(confirmed === null ? {} : { confirmed }),
        ...(synchronisationDelay === null ? {} : { synchronisationDelay }),
      };
    },
  );

/**
 * The outcomes of several shards as one process has them: with `failFast`, those up to the smallest
 * seed that violates a property.
 */
function joined(
  parts: readonly PackedRuns[],
  failFast: boolean | undefined,
): readonly SeedOutcome[] {
  const outcomes = parts.flatMap(unpacked);
  const last = failFast ? outcomes.find(({ violated }) => violated !== undefined) : undefined;
  return last === undefined ? outcomes : outcomes.filter(({ seed }) => seed <= last.seed);
}
