/** How expected costs are reported, of protocols and of systems of plain functions. */
import type {
  Exploration,
  Extremes,
  Figure,
  Figures,
  GraphTexts,
} from '@conclave/core/exploration';
import { defined } from '../input/options.js';
import { writeGraph, writtenGraph } from '../output/graph.js';
import { blocks, counted, duration } from '../output/text.js';
import { answer, complain } from '../session.js';
import type { Check } from './check.js';
import { type FigureNames, figuresText } from './figures.js';
import { limitText } from './limits.js';

/** What `expected` and `expectedOfSystem` have in common. */
interface Found<Run> extends Partial<Figures<Run>> {
  readonly states: number;
  readonly transitions: number;
  readonly draws?: number;
  readonly seconds: number;
  readonly complete: boolean;
  readonly limit?: NonNullable<Exploration['limit']>;
  readonly graph?: GraphTexts;
}

interface Report<Run> {
  /** What `--json` prints of a run that never gets there. */
  readonly run: (run: Run) => unknown;
  /** What it prints besides. */
  readonly json?: object;
  readonly head: () => string;
  readonly names: FigureNames;
  /** Below the figures. */
  readonly rest: () => readonly string[];
}

/**
 * Reports what was found, writes the graph where `--graph` asks for it, and sets the exit code.
 * @throws {ConclaveError} `bad-input` for a graph that cannot be written.
 */
export function reportExpected<Run>(
  check: Check<unknown>,
  { graph, ...found }: Found<Run>,
  { run, json, head, names, rest }: Report<Run>,
): void {
  const { session, options } = check;
  const incomplete = found.complete ? undefined : limitText(check, { ...found, properties: [] });
  if (found.limit === 'interrupted') session.exitCode = 130;
  else if (incomplete !== undefined) session.exitCode = 2;
  const paths = options.graph === undefined ? [] : writeGraph(options.graph, graph);
  const value = {
    ...json,
    ...figureReports(found, run),
    ...(paths.length > 0 && { graph: paths }),
    ...defined({ incomplete }),
  };
  answer(session, options.json, value, () =>
    blocks(
      head(),
      incomplete === undefined
        ? figuresText(found, names)
        : `${session.colours.yellow('INCOMPLETE:')} ${incomplete}\n`,
      ...rest(),
      writtenGraph(paths),
    ),
  );
  complain(session, incomplete);
}

export const foundRows = ({
  states,
  transitions,
  draws,
  seconds,
}: Omit<Found<unknown>, 'complete'>): string[][] => [
  [
    'found',
    [
      `${counted(states, 'state')}, ${counted(transitions, 'transition')}`,
      ...(draws === undefined ? [] : [`${counted(draws, 'state')} with a draw`]),
    ].join('; '),
  ],
  ['time', duration(seconds)],
];

function figureReports<Run>(
  { probability, expectation, within, ...size }: Found<Run>,
  run: (run: Run) => unknown,
): object {
  const figure = (one: Figure<Run>) =>
    one.kind === 'infinite' ? { ...one, run: run(one.run) } : one;
  const both = (extremes: Extremes<Run> | undefined) =>
    extremes && {
      ...extremes,
      least: figure(extremes.least),
      greatest: figure(extremes.greatest),
    };
  return {
    ...size,
    ...defined({
      probability: both(probability),
      expectation: both(expectation),
      within: both(within),
    }),
  };
}

/** A run without end, where an expectation has no bound; one, if both have none. */
export function endlessRun<Run>({
  expectation,
}: Found<Run>): { readonly title: string; readonly run: Run } | undefined {
  const { least, greatest } = expectation ?? {};
  const endless = [greatest, least].find((figure) => figure?.kind === 'infinite');
  if (endless?.kind !== 'infinite') return undefined;
  const title = least?.kind === 'infinite' ? 'every scheduler: ∞' : 'the greatest is ∞';
  return { title, run: endless.run };
}
