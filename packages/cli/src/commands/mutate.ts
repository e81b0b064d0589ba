import type { MutateOptions, MutationSystem, mutate } from '@conclave/check';
import {
  allOperators,
  chosenMutants,
  defaultSystems,
  mergedReport,
  mutatePart,
  openQuestions,
} from '@conclave/check/internal';
import { optionalCommands } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { badInput } from '../errors.js';
import { hasNoCommand } from '../input/environment.js';
import {
  count,
  declare,
  defined,
  jsonOption,
  measure,
  parsed,
  positive,
  seed,
  text,
  type ValuesOf,
} from '../input/options.js';
import { checkableFor, networkFor, protocolMeaning, protocolOptions } from '../input/protocol.js';
import { blocks, counted, heading, number, table } from '../output/text.js';
import { answer, remark, type Session, stopOf, withProgress } from '../session.js';
import type { Shard } from '../shards/identity.js';
import { sweepOptions } from '../shards/part.js';
import { foundByShards } from '../shards/sweep.js';

const help = `A mutant is the protocol with one mistake in a statechart: an action dropped, repeated or moved, a
guard dropped or negated, a transition deleted, ignored or redirected, a tag or timer removed, a
message not sent, sent twice or to the wrong neighbour; or with channels that may do more than the
protocol assumes. Each is explored on small systems, smallest first, until a property is violated.
  killed        a property notices it, or uses a tag that is gone; or a message is not handled
  rejected      the checks of defineProtocol refuse it, whatever its properties
  equivalent    bisimilar to the protocol on every system explored
  unreached     no system uses what is changed, and no walk
  survived      differs from the protocol, and every property holds
  inconclusive  nothing is violated up to a limit
With --walks, random walks go through a larger network for what is unreached, survived or
inconclusive: 'killed by a walk' is killed.
The score is killed of all but rejected and equivalent. Each survivor comes with the shortest run
on which it differs: '-' is the protocol, '+' the mutant.
Exit codes:
  0  no mutant survives
  1  some survive, or are not reached
  2  a usage or input error, a protocol that does not pass itself, or inconclusive mutants only
  130  interrupted by Ctrl-C; the results so far are printed

Examples:
  conclave mutate A3
  conclave mutate raymond --topology chain:3 --entries 2 --operators ignore,drop-tag
  conclave mutate ./my-protocol.ts --max-seconds 60 --json`;

type MutationReport = ReturnType<typeof mutate>;
type MutantFinding = MutationReport['mutants'][number];
type OpenQuestion = ReturnType<typeof openQuestions>[number];
type Operator = (typeof allOperators)[number];

/** `ignore,drop-tag`. */
function operators(text: string): readonly Operator[] {
  return text.split(',').map((name) => {
    const operator = allOperators.find((known) => known === name.trim());
    if (operator === undefined)
      throw new InvalidArgumentError(`There are ${allOperators.join(', ')}.`);
    return operator;
  });
}

const options = {
  topology: text(
    'spec',
    'the network to explore, such as ring:3; a small one (default: the protocol’s, with 2 and 3 nodes)',
  ),
  entries: parsed(
    'k',
    'how many commands each node gets, such as to enter the critical section (default: 1, and 2)',
    count,
  ),
  operators: parsed(
    'names',
    'which mistakes: some of the operators, such as ignore,drop-tag (default: all)',
    operators,
  ),
  maxStates: parsed(
    'n',
    'how many states the protocol may have on a system, a mutant three times as many (default: 20000)',
    positive,
  ),
  maxSeconds: parsed(
    's',
    'stop after so long, explorations of the protocol itself included; what is left is inconclusive',
    measure('seconds'),
  ),
  walks: parsed(
    'n',
    'take so many random walks through a network of four nodes, or --topology, for the mutants that are left open',
    positive,
  ),
  maxDepth: parsed('n', 'how long each walk is at most (default: 300)', positive),
  seed: parsed('n', 'same seed, same walks (default: 1)', seed),
  ...sweepOptions,
  ...protocolOptions,
  ...jsonOption,
};

type Options = ValuesOf<typeof options>;

const description = {
  name: 'mutate',
  description:
    'measure how strong the properties of a protocol are: which mistakes in its statechart do they notice?',
  argument: ['protocol', protocolMeaning] as const,
  options,
  help,
};

/** `conclave mutate`: how many mistakes in its statechart the properties of a protocol notice. */
export const mutateCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, name) => {
    const target = await checkableFor(name, options);
    if (target.kind === 'system')
      throw badInput(
        `'${target.name}' is a system of plain functions, and has no statechart to change`,
        'Give a protocol: what defineProtocol returns.',
      );
    const { systems, note } = systemsFor(target.protocol, options);
    remark(session, note, []);
    const { operators, maxStates, maxSeconds, shard, queue } = options;
    const walks = walksFor(target.protocol, options);
    if ((shard ?? queue) !== undefined && maxSeconds !== undefined)
      throw badInput(
        'What --max-seconds cuts depends on the machine, so that shards do not fit together',
        'Give --max-states instead.',
      );
    const limits = { ...defined({ states: maxStates, seconds: maxSeconds }), ...stopOf(session) };
    const judged = (shard: Shard) =>
      judgedOn(
        session,
        target.protocol,
        { ...defined({ systems, operators, walks }), limits },
        shard,
      );
    const parts = await foundByShards<MutationReport>(session, name, options, {
      item: 'mutant',
      count: chosenMutants(target.protocol, operators).length,
      run: async (shard) => {
        const report = judged(shard);
        return report.limit === 'interrupted' ? undefined : { ...report, seconds: 0 };
      },
    });
    if (parts === 'answered') return;
    const report = (parts && mergedReport(parts)) ?? judged({ index: 1, of: 1 });
    session.exitCode = exitCodeOf(report);
    const incomplete = incompleteOf(report, options);
    if (incomplete !== undefined) session.stderr(`incomplete: ${incomplete}.\n`);
    answer(session, options.json, withoutTime(report), () => summary(report, session));
  });

/** The mutants of one shard, with progress. */
const judgedOn = (
  session: Session,
  protocol: Protocol,
  options: MutateOptions,
  shard: Shard,
): MutationReport =>
  withProgress(session, (show) =>
    mutatePart(
      protocol,
      {
        ...options,
        onProgress: (done, all, { killed, unhandled, survived }) =>
          show(
            () =>
              `mutating: ${number(done)} of ${number(all)}, ${number(killed + unhandled)} killed, ${number(survived)} survived`,
          ),
      },
      shard,
    ),
  );

/** The same bytes whenever and wherever it was computed. */
const withoutTime = ({ seconds: _, ...report }: MutationReport) => report;

/** Why not every mutant was judged; undefined: every one was. */
function incompleteOf(
  { limit, mutants }: MutationReport,
  { maxSeconds }: Options,
): string | undefined {
  if (limit === undefined) return undefined;
  const judged = mutants.filter((mutant) => mutant.limit !== limit).length;
  const why = limit === 'interrupted' ? 'interrupted' : `--max-seconds ${maxSeconds} was reached`;
  return `${why} after ${number(judged)} of ${number(mutants.length)} mutants; the score counts the others as if they passed`;
}

function exitCodeOf({
  limit,
  counts: { survived, unreached, inconclusive },
}: MutationReport): 0 | 1 | 2 | 130 {
  if (limit === 'interrupted') return 130;
  if (survived + unreached > 0) return 1;
  return inconclusive > 0 ? 2 : 0;
}

/** The score, the survivors by the question that no property asks, and a table by operator. */
function summary(report: MutationReport, session: Session): string {
  const { colours } = session;
  const { title, systems, leftOut, walks, limit, mutants, counts, score } = report;
  const rows = [
    ...systems.map(({ name, states }, index) => [
      index === 0 ? 'systems' : '',
      `${name} (${counted(states, 'state')})`,
    ]),
    ...leftOut.map((name) => ['', `${name}: left out, ${limit ? 'no time' : 'too many states'}`]),
    ...walks.map(({ name, steps }, index) => [
      index === 0 ? 'walks' : '',
      `${name}: ${counted(steps, 'step')}`,
    ]),
    ['mutants', `${number(mutants.length)}: ${countsText(report)}`],
    ['score', `${(100 * score).toFixed(1)} % killed, of all but the equivalent and rejected ones`],
  ];
  return blocks(
    heading(colours.bold(title), rows, session),
    ...openQuestions(report).map((open) => questionText(open, colours)),
    listed(
      'Not reached on these systems: give others, or remove what is never needed',
      mutants,
      'unreached',
      colours,
    ),
    listed('Inconclusive: a limit was reached', mutants, 'inconclusive', colours),
    operatorTable(report, colours),
    counts.survived + counts.unreached + counts.inconclusive === 0
      ? 'Every mutant is noticed.\n'
      : '',
  );
}

/** What may become of a mutant that is not killed. */
const otherFates = ['rejected', 'equivalent', 'unreached', 'survived', 'inconclusive'] as const;

function countsText({ counts, mutants, walks }: MutationReport): string {
  const isWalked = ({ fate, system }: MutantFinding) =>
    (fate === 'killed' || fate === 'unhandled') && walks.some(({ name }) => name === system);
  const of = [
    [counts.unhandled, 'an unhandled message'],
    [mutants.filter(isWalked).length, 'a walk'],
  ] as const;
  const parts = of.flatMap(([count, what]) => (count > 0 ? [`${number(count)} by ${what}`] : []));
  const unhandled = parts.length > 0 ? ` (${parts.join(', ')})` : '';
  const rest = otherFates.filter((fate) => counts[fate] > 0);
  return [
    `${number(counts.killed + counts.unhandled)} killed${unhandled}`,
    ...rest.map((fate) => `${number(counts[fate])} ${fate}`),
  ].join(', ');
}

const changeText = ({ before, after }: Pick<MutantFinding, 'before' | 'after'>): string =>
  `  - ${before}\n  + ${after}\n`;

function questionText(
  { question, cure, mutants }: OpenQuestion,
  { yellow, dim }: Session['colours'],
): string {
  const texts = mutants.map(({ difference, ...mutant }) => {
    if (!difference) return `${changeText(mutant)}\n`;
    const run = [...difference.run, difference.differs].map((line) => `      ${line}\n`);
    return `${changeText(mutant)}${dim(`    differs on ${difference.system}:`)}\n${run.join('')}\n`;
  });
  return `${yellow(question)} (${number(mutants.length)}). ${cure}\n${texts.join('')}`;
}

function listed(
  title: string,
  mutants: readonly MutantFinding[],
  fate: MutantFinding['fate'],
  { yellow }: Session['colours'],
): string {
  const found = mutants.filter((mutant) => mutant.fate === fate);
  return found.length === 0
    ? ''
    : `${yellow(title)} (${number(found.length)}).\n${found.map(changeText).join('')}`;
}

function operatorTable({ operators }: MutationReport, { dim }: Session['colours']): string {
  const shown = (['killed', 'unhandled', ...otherFates] as const).filter((fate) =>
    operators.some(({ counts }) => counts[fate] > 0),
  );
  const rows = operators.map(({ operator, counts }) => [
    operator,
    ...shown.map((fate) => (counts[fate] > 0 ? number(counts[fate]) : '·')),
  ]);
  return table([['operator', ...shown].map((text) => dim(text)), ...rows]);
}

// Where the mutants of `conclave mutate` are explored.

interface Asked {
  readonly topology?: string;
  readonly entries?: number;
  readonly walks?: number;
  readonly maxDepth?: number;
  readonly seed?: number;
}

/**
 * The systems on which the options explore mutants (undefined: the default ones), and a note for
 * the user.
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
export function systemsFor(
  protocol: Protocol,
  { topology, entries }: Asked,
): { readonly systems?: readonly MutationSystem[]; readonly note?: string } {
  if (entries !== undefined && optionalCommands(protocol).length === 0)
    throw hasNoCommand(protocol, 'entries');
  if (topology === undefined && entries === undefined) return {};
  const commands = [entries ?? 1];
  if (topology === undefined) return { systems: defaultSystems(protocol, { commands }) };
  const { topology: network, ...note } = networkFor(protocol, topology, 3);
  return { systems: defaultSystems(protocol, { topologies: [network], commands }), ...note };
}

/**
 * The walks that the options ask for; undefined: none.
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
export function walksFor(
  protocol: Protocol,
  { topology, entries = 2, walks, maxDepth, seed }: Asked,
): MutateOptions['walks'] {
  if (walks === undefined) {
    if (maxDepth !== undefined || seed !== undefined)
      throw badInput(
        `--${maxDepth === undefined ? 'seed' : 'max-depth'} is for walks`,
        'Add --walks 100.',
      );
    return undefined;
  }
  const { topology: network } = networkFor(protocol, topology, 4);
  const systems = defaultSystems(protocol, { topologies: [network], commands: [entries] });
  const steps = maxDepth ?? 300;
  return systems.map((system) => ({ ...system, walks, steps, ...defined({ seed }) }));
}
