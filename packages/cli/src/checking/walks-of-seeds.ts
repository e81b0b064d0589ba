/** Random walks for each of several seeds, which other processes and machines may take. */
import { joinedWalks, walksOfSeed } from '@conclave/check/internal';
import { defined, type Seeds } from '../input/options.js';
import { counted, number, titleOf } from '../output/text.js';
import { again, repeatable, withoutFlag, withoutOption } from '../output/trace.js';
import { type Session, stopOf, withProgress } from '../session.js';
import { placesOf } from '../shards/shard.js';
import { foundByShards } from '../shards/sweep.js';
import { whatToTry } from './hints.js';
import type { NetworkCheck } from './options.js';
import {
  assumptionsText,
  conclude,
  counterexamples,
  coverageRows,
  findingReports,
  networkRows,
} from './outcome.js';
import { usualSteps, walksText } from './walks.js';

type SeedWalks = ReturnType<typeof walksOfSeed>;
type JoinedWalks = ReturnType<typeof joinedWalks>;

interface SeedsOfWalks {
  readonly walks: number;
  readonly seeds: Seeds;
}

/** Takes random walks for each of these seeds, or those of a shard, and joins what they found. */
export async function checkByWalksOfSeeds(check: NetworkCheck, of: SeedsOfWalks): Promise<void> {
  const { session, name, options } = check;
  const { from, to } = of.seeds;
  const count = to - from + 1;
  const parts = await foundByShards<readonly SeedWalks[]>(session, name, options, {
    ...{ item: 'seed', count },
    run: async (shard) => {
      const { first, end } = placesOf(shard, count);
      const found = walked(check, { ...of, seeds: { from: from + first, to: from + end - 1 } });
      return found.some(({ limit }) => limit) ? undefined : found;
    },
  });
  if (parts === 'answered') return;
  const [first, ...others] = parts?.flat() ?? walked(check, of);
  if (first) report(check, of, joinedWalks([first, ...others]));
}

/** The walks of each seed, up to the one that the user interrupts. */
function walked(check: NetworkCheck, { walks, seeds }: SeedsOfWalks): readonly SeedWalks[] {
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

function report(check: NetworkCheck, { seeds }: SeedsOfWalks, joined: JoinedWalks): void {
  const { session, protocol, options } = check;
  const { maxDepth: steps = usualSteps } = options;
  const { properties: findings, limit, seeds: done, ...totals } = joined;
  const each = <T>(make: (found: Parameters<typeof findingReports>[1]) => readonly T[]) =>
    findings.flatMap(({ tick, ...finding }) =>
      make({ properties: [finding], ...defined({ tick }) }),
    );
  const interrupted = `interrupted after ${number(done)} of ${counted(seeds.to - seeds.from + 1, 'seed')}; `;
  const commands = findings.flatMap(({ verdict, seed }) =>
    verdict === 'violated' && seed !== undefined ? [`Again: ${commandOf(session, seed)}\n`] : [],
  );
  conclude(check, {
    ...{ findings, limit },
    incomplete: `${limit === undefined ? '' : interrupted}${walksText}`,
    report: {
      ...{ ...totals, seeds, limit, complete: false },
      properties: each((found) => findingReports(check, found)),
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...networkRows(check),
        [
          'walks',
          `${number(joined.walks)} of up to ${counted(steps, 'step')}; seeds ${seeds.from} to ${seeds.to}, each by itself`,
        ],
        ['met', `at least ${counted(joined.states, 'state')} in ${counted(joined.steps, 'step')}`],
        ...coverageRows({
          ...defined({ coverage: joined.coverage }),
          taken: 'reached by walks, not exhausted',
        }),
      ],
      complete: '',
      advice: ' They can refute properties of states, and of runs by a run that ends.',
      assumptions: assumptionsText(joined.assumptions),
      more: [
        ...each((found) => counterexamples(check, found)),
        whatToTry(check, findings),
        ...new Set(commands),
      ],
    }),
  });
}
