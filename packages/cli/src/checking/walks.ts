/**
 * Checks of one system by random walks through the interleavings of a protocol that has too many of
 * them: of one seed, or of each of several, which other processes and machines may take. Those of one
 * seed cannot be divided: each walk knows those before it.
 */
import { walk } from '@conclave/check';
import { joinedWalks, walksOfSeed } from '@conclave/check/internal';
import { defined, type Seeds } from '../input/options.js';
import { again, repeatable, withoutFlag, withoutOption } from '../output/files.js';
import { counted, number, titleOf } from '../output/text.js';
import { type Session, stopOf, withProgress } from '../session.js';
import { placesOf } from '../shards/part.js';
import { foundByShards } from '../shards/sweep.js';
import { counterexamples, findingReports } from './counterexample.js';
import { whatToTry } from './hints.js';
import type { NetworkCheck } from './options.js';
import { assumptionsText, conclude, coverageRows, networkRows } from './outcome.js';

/** How long a walk is at most, by default. */
const usualSteps = 1000;

type Found = Parameters<typeof findingReports>[1];
type Joined = ReturnType<typeof joinedWalks>;

/** What walks of one seed or of several have found, as it is told. */
interface Report extends Pick<Joined, 'coverage' | 'assumptions' | 'walks' | 'states' | 'steps'> {
  readonly findings: Parameters<typeof conclude>[1]['findings'];
  readonly limit: Joined['limit'];
  /** How far an interrupted check has come, such as `3 of 9 seeds`. */
  readonly progress: string;
  /** What `--json` prints besides the properties. */
  readonly report: Readonly<Record<string, unknown>>;
  /** Of which seeds, in words. */
  readonly seeds: string;
  /** Before the number of states: `at least`, where walks of several seeds may have met the same. */
  readonly atLeast: string;
  readonly found: readonly Found[];
  /** The lines that say how to repeat them. */
  readonly repeat: readonly string[];
}

/** Takes random walks, and says what they have met. They can refute, and prove nothing. */
function concludeWalks(check: NetworkCheck, walked: Report): void {
  const { session, protocol, options } = check;
  const { maxDepth: steps = usualSteps } = options;
  const { findings, limit, found } = walked;
  const interrupted = limit === undefined ? '' : `interrupted after ${walked.progress}; `;
  conclude(check, {
    ...{ findings, limit },
    incomplete: `${interrupted}walks prove nothing; leave out --walks to explore every interleaving.`,
    report: {
      ...walked.report,
      properties: found.flatMap((one) => findingReports(check, one)),
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...networkRows(check),
        ['walks', `${number(walked.walks)} of up to ${counted(steps, 'step')}; ${walked.seeds}`],
        [
          'met',
          `${walked.atLeast}${counted(walked.states, 'state')} in ${counted(walked.steps, 'step')}`,
        ],
        ...coverageRows({
          ...defined({ coverage: walked.coverage }),
          how: 'reached by walks, not exhausted',
        }),
      ],
      complete: '',
      advice: ' They can refute properties of states, and of runs by a run that ends.',
      assumptions: assumptionsText(walked.assumptions),
      more: [
        ...found.flatMap((one) => counterexamples(check, one)),
        whatToTry(check, findings),
        ...walked.repeat,
      ],
    }),
  });
}

/** Takes the walks of one seed. */
export function checkByWalks(check: NetworkCheck, walks: number): void {
  const { session, protocol, topology, budget, properties, options } = check;
  const { maxDepth: steps = usualSteps, seed = 1 } = options;
  const command = again(session.argv, seed);
  const result = withProgress(session, (show) => {
    const onProgress = (made: number, taken: number, states: number) =>
      show(
        () =>
          `walking: ${counted(made, 'walk')}, ${counted(taken, 'step')}, ${counted(states, 'state')}`,
      );
    const settings = { ...budget, properties, seed, walks, steps, ...stopOf(session) };
    return repeatable(command, () =>
      walk(protocol, topology, { ...settings, coverage: true, onProgress }),
    );
  });
  concludeWalks(check, {
    ...result,
    findings: result.properties,
    limit: result.limit,
    progress: counted(result.walks, 'walk'),
    report: { ...result, complete: false, again: command },
    ...{ seeds: `seed ${result.seed}`, atLeast: '', found: [result] },
    repeat: [`Again: ${command}\n`],
  });
}

// The walks of several seeds.

type SeedWalks = ReturnType<typeof walksOfSeed>;

interface SeedsOfWalks {
  readonly walks: number;
  readonly seeds: Seeds;
}

/** Takes random walks for each of these seeds, or those of a shard, and joins what they found. */
export async function checkByWalksOfSeeds(check: NetworkCheck, job: SeedsOfWalks): Promise<void> {
  const { session, name, options } = check;
  const { from, to } = job.seeds;
  const count = to - from + 1;
  const parts = await foundByShards<readonly SeedWalks[]>(session, name, options, {
    ...{ item: 'seed', count },
    run: async (shard) => {
      const { first, end } = placesOf(shard, count);
      const found = walkAll(check, { ...job, seeds: { from: from + first, to: from + end - 1 } });
      return found.some(({ limit }) => limit) ? undefined : found;
    },
  });
  if (parts === 'answered') return;
  const [first, ...others] = parts?.flat() ?? walkAll(check, job);
  if (first) concludeSeeds(check, job.seeds, joinedWalks([first, ...others]));
}

/** The walks of each seed, up to the one that the user interrupts. */
function walkAll(check: NetworkCheck, { walks, seeds }: SeedsOfWalks): readonly SeedWalks[] {
  const { session, protocol, topology, budget, properties, options } = check;
  const { maxDepth: steps = usualSteps } = options;
  const count = seeds.to - seeds.from + 1;
  return withProgress(session, (show) => {
    const found: SeedWalks[] = [];
    for (let seed = seeds.from; seed <= seeds.to && !found.at(-1)?.limit; seed++) {
      const onProgress = (made: number) =>
        show(
          () =>
            `walking: ${number(found.length)} of ${counted(count, 'seed')}, ${counted(made, 'walk')} of the next`,
        );
      const settings = { ...budget, properties, seed, walks, steps, ...stopOf(session) };
      found.push(
        repeatable(commandOf(session, seed), () =>
          walksOfSeed(protocol, topology, { ...settings, onProgress }),
        ),
      );
    }
    return found;
  });
}

/** The command that takes the walks of one seed. */
const commandOf = ({ argv }: Session, seed: number): string =>
  again(
    withoutFlag(['seeds', 'shard', 'shards', 'queue'].reduce(withoutOption, argv), 'json'),
    seed,
  );

function concludeSeeds(check: NetworkCheck, seeds: Seeds, joined: Joined): void {
  const { properties: findings, limit, seeds: done, ...totals } = joined;
  const commands = findings.flatMap(({ verdict, seed }) =>
    verdict === 'violated' && seed !== undefined
      ? [`Again: ${commandOf(check.session, seed)}\n`]
      : [],
  );
  concludeWalks(check, {
    ...{ ...joined, findings, limit },
    progress: `${number(done)} of ${counted(seeds.to - seeds.from + 1, 'seed')}`,
    report: { ...totals, seeds, limit, complete: false },
    seeds: `seeds ${seeds.from} to ${seeds.to}, each by itself`,
    atLeast: 'at least ',
    found: findings.map(({ tick, ...finding }) => ({
      properties: [finding],
      ...defined({ tick }),
    })),
    repeat: [...new Set(commands)],
  });
}
