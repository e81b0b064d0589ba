/**
 * `conclave expected`: what runs of one system cost until they end, and how likely they do.
 *
 * Where nodes draw, and a scheduler decides what comes first, there is no single number: each figure
 * has a least and a greatest value over all schedulers, as exact fractions where they can be proved.
 * An expectation may be infinite; then the run that never ends is shown like a counterexample.
 */
import {
  type Expectation,
  type Extremes,
  expected,
  expectedOfSystem,
  type Figure,
  type PropertyFinding,
} from '@conclave/check';
import type { Json, Protocol, SystemView } from '@conclave/core/protocol';
import { linesText, traceText } from '@conclave/core/trace';
import { badInput } from '../errors.js';
import { budgetOptions } from '../input/environment.js';
import type { UserSystem } from '../input/module.js';
import {
  count,
  defined,
  jsonOption,
  measure,
  parsed,
  text,
  type ValuesOf,
} from '../input/options.js';
import { protocolOptions } from '../input/protocol.js';
import { graphFormatOf, graphNote, requireWritable, writeGraph } from '../output/files.js';
import { blocks, counted, duration, heading, table, titleOf } from '../output/text.js';
import { answer, complain, type Session } from '../session.js';
import { linkTo, lookLine, markedSteps } from './counterexample.js';
import {
  type Check,
  checkOf,
  type NetworkCheck,
  networkCheck,
  protocolCheck,
  requireForSystem,
} from './options.js';
import { assumptionsText, networkRows } from './outcome.js';
import { limitsOf, limitText, withSearchProgress } from './search.js';
import { text as textOf, whileRunning } from './system.js';

/** The options of `conclave expected`; one that is not given is absent. */
export const expectedOptions = {
  cost: text(
    'cost',
    'messages, steps, time, a type of message, or a reward of the protocol or system (default: steps)',
  ),
  until: text('tag', 'until some node has this tag (default: until the run ends)'),
  within: parsed(
    'n',
    'the probability, too, that a run gets there for no more than this',
    measure('units of the cost'),
  ),
  graph: text('file', 'write the explored graph, to FILE.drn for Storm or FILE.tra for PRISM'),
  topology: text('spec', 'the network, such as ring:3 or complete:3; a small one'),
  ...budgetOptions,
  maxStates: parsed('n', 'stop after so many states', count),
  maxMemory: parsed('MB', 'stop when the states take so much memory', measure('megabytes')),
  maxSeconds: parsed('s', 'stop after so long', measure('seconds')),
  maxDepth: parsed('n', 'explore no further than so many steps', count),
  ...protocolOptions,
  ...jsonOption,
};

export type ExpectedOptions = ValuesOf<typeof expectedOptions>;

/** Those that have an effect on a system of plain functions. */
const forSystems: readonly (keyof ExpectedOptions)[] = [
  ...(['cost', 'within', 'graph', 'export', 'json'] as const),
  ...(['maxStates', 'maxMemory', 'maxSeconds', 'maxDepth'] as const),
];

/** Computes what runs of the protocol cost until they end, and how likely they do. */
export function expectedOfProtocol(
  session: Session,
  name: string,
  options: ExpectedOptions,
  protocol: Protocol,
): void {
  const { cost = 'steps', until: tag, within, graph } = options;
  const format = graphFormatOf(graph);
  const check = withAtomicSteps(networkCheck(protocolCheck(session, name, options, protocol)));
  requireWritable(options);
  const { topology, budget } = check;
  const until = tag === undefined ? undefined : (system: SystemView) => system.count(tag) > 0;
  const limits = limitsOf(check);
  const found = withSearchProgress(session, (onProgress) =>
    expected(protocol, topology, {
      ...budget,
      ...{ cost, limits, onProgress },
      ...defined({ until, within, graph: format }),
    }),
  );
  reportExpected(check, found, {
    graph,
    run: (run) => runReport(check, run, found),
    head: () =>
      heading(
        titleOf(protocol, session.colours),
        [...networkRows(check), ...foundRows(found)],
        session,
      ),
    names: { goal: goalText(tag), cost: unitOf(cost) },
    rest: () => [assumptionsText(found.assumptions), endlessText(check, found)],
  });
}

/** Costs are computed with atomic steps where nodes crash: rows and links must say so. */
const withAtomicSteps = (check: NetworkCheck): NetworkCheck =>
  check.budget.crashes > 0 ? { ...check, budget: { ...check.budget, atomicSteps: true } } : check;

const goalText = (tag: string | undefined): string =>
  tag === undefined ? 'the run ends' : `some node is '${tag}'`;

const unitOf = (cost: string): string => (cost === 'time' ? 'ms' : cost);

/** The trace of an endless run as a text, and a link to it. */
const runReport = (
  check: NetworkCheck,
  {
    trace,
    ...run
  }: Required<Pick<PropertyFinding, 'trace' | 'loopsFrom' | 'steps' | 'loopsFromStep'>>,
  { tick }: Expectation,
) => ({
  ...{ trace: traceText(trace), loopsFrom: run.loopsFrom },
  link: linkTo(check, { verdict: 'violated', ...run }, tick),
});

function endlessText(check: NetworkCheck, found: Expectation): string {
  const endless = endlessRun(found);
  if (!endless) return '';
  const { trace, loopsFrom } = endless.run;
  const steps = linesText(trace.lines).split('\n').slice(0, -1);
  const run = markedSteps(endless.title, steps, loopsFrom, check.session.colours);
  return `${run}${lookLine(check, { verdict: 'violated', ...endless.run }, found.tick)}`;
}

// Expected costs of a system of plain functions.

type Reward = (step: { readonly state: Json; readonly action: Json }) => number;

/**
 * Computes what runs of the system cost until they end: its steps, or one of its `rewards`.
 * @throws {ConclaveError} `bad-input` for a cost that the system does not have.
 */
export function expectedOfUserSystem(
  session: Session,
  name: string,
  options: ExpectedOptions,
  system: UserSystem,
): void {
  requireForSystem(name, options, forSystems);
  const check = checkOf(session, name, options, system.properties);
  whileRunning(check, () => reportOfSystem(check, options, system));
}

function reportOfSystem(
  check: Check<unknown>,
  { cost = 'steps', within, graph }: ExpectedOptions,
  system: UserSystem,
): void {
  const { session, name } = check;
  const format = graphFormatOf(graph);
  const reward = rewardOf(name, system, cost);
  requireWritable(defined({ graph }));
  const limits = limitsOf(check);
  const found = withSearchProgress(session, (onProgress) =>
    expectedOfSystem(system, {
      ...{ limits, onProgress },
      ...defined({ cost: reward, within, graph: format }),
    }),
  );
  const { colours } = session;
  reportExpected(check, found, {
    graph,
    run: (run) => run,
    json: { system: name, cost },
    head: () =>
      heading(`${colours.bold(name)}, a system of plain functions`, foundRows(found), session),
    names: { goal: 'the run ends', cost },
    rest: () => {
      const endless = endlessRun(found);
      if (!endless) return [];
      const { actions, loopsFrom } = endless.run;
      return [markedSteps(endless.title, actions.map(textOf), loopsFrom, colours)];
    },
  });
}

/** Undefined for steps. The name of the function is that of the cost. */
function rewardOf(name: string, system: UserSystem, cost: string): Reward | undefined {
  const { rewards = {} } = system;
  const reward = Object.hasOwn(rewards, cost) ? rewards[cost] : undefined;
  if (typeof reward === 'function')
    return { [cost]: (step: Parameters<Reward>[0]) => reward(step) }[cost];
  if (cost === 'steps') return undefined;
  throw badInput(
    reward === undefined
      ? `The system '${name}' has no cost '${cost}'`
      : `The reward '${cost}' of the system '${name}' is no function`,
    `It has ${['steps', ...Object.keys(rewards)].join(', ')}; rewards: { sent: ({ action }) => 1 } says what a step costs.`,
  );
}

// How expected costs are reported, of protocols and of systems of plain functions.

/** What `expected` and `expectedOfSystem` have in common. */
type Found<Run> = Omit<Expectation<Run>, 'protocol' | 'topology' | 'cost' | 'tick' | 'assumptions'>;

interface Report<Run> {
  /** The file that it is written to. */
  readonly graph: string | undefined;
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
function reportExpected<Run>(
  check: Check<unknown>,
  { graph, ...found }: Found<Run>,
  { graph: file, run, json, head, names, rest }: Report<Run>,
): void {
  const { session, options } = check;
  const incomplete = found.complete ? undefined : limitText(check, { ...found, properties: [] });
  if (found.limit === 'interrupted') session.exitCode = 130;
  else if (incomplete !== undefined) session.exitCode = 2;
  const paths = file === undefined ? [] : writeGraph(file, graph);
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
      graphNote(paths),
    ),
  );
  complain(session, incomplete);
}

const foundRows = ({
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

/** A run without end, where an expectation has no bound; where both have none, any run has. */
function endlessRun<Run>({
  expectation,
}: Found<Run>): { readonly title: string; readonly run: Run } | undefined {
  const { least, greatest } = expectation ?? {};
  const endless = [greatest, least].find((figure) => figure?.kind === 'infinite');
  if (endless?.kind !== 'infinite') return undefined;
  const title = least?.kind === 'infinite' ? 'every scheduler: ∞' : 'the greatest is ∞';
  return { title, run: endless.run };
}

// Probabilities and expectations as text.

/** How what was computed is called. */
interface FigureNames {
  /** Of the states to reach: 'the run ends', 'some node is tagged leader'. */
  readonly goal: string;
  /** Of the cost, such as 'messages' or 'ms'. */
  readonly cost: string;
}

/** A figure a row, least and greatest. */
function figuresText(
  { probability, expectation, within }: Found<unknown>,
  { goal, cost }: FigureNames,
): string {
  return table([
    ...row(`probability that ${goal}`, probability),
    ...row(`expected ${cost} until then`, expectation),
    ...row(`probability that ${goal} within ${within?.most} ${cost}`, within),
  ]);
}

const row = (name: string, extremes: Extremes<unknown> | undefined): string[][] => {
  if (!extremes) return [];
  const [least, greatest] = [figureText(extremes.least), figureText(extremes.greatest)];
  return [[name, least === greatest ? least : `${least} to ${greatest}`]];
};

/** `10/3 (3.333333)`, `4`, `∞`, or the bounds of what is not proved. */
export function figureText(figure: Figure<unknown>): string {
  if (figure.kind === 'infinite') return '∞';
  if (figure.kind === 'interval')
    return `between ${rounded(figure.least)} and ${rounded(figure.greatest)} (not proved)`;
  const { fraction, value } = figure;
  if (!fraction.includes('/')) return fraction;
  return fraction.length > longest
    ? `${rounded(value)} (a fraction)`
    : `${fraction} (${rounded(value)})`;
}

/** A longer fraction is in the JSON only. */
const longest = 40;
const rounded = (value: number): string => String(Number(value.toPrecision(7)));
