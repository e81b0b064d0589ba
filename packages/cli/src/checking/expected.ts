/** Expected costs of one system, over all its schedulers. */
import {
  type EndlessRun,
  type Expectation,
  type Extremes,
  expected,
  type Figure,
} from '@conclave/core/exploration';
import type { SystemView } from '@conclave/core/protocol';
import { linesText, traceText } from '@conclave/core/trace';
import { defined } from '../input/options.js';
import { blocks, counted, duration, heading, titleOf } from '../output/text.js';
import { answer, complain } from '../session.js';
import type { NetworkCheck } from './check.js';
import { figuresText } from './figures.js';
import { limitsOf, limitText } from './limits.js';
import { linkTo, lookLine } from './link.js';
import { assumptionsText, markedSteps, networkRows } from './outcome.js';
import { withSearchProgress } from './search.js';

/** Computes what runs cost until they end, and how likely they do. */
export function checkExpected(check: NetworkCheck, cost: string): void {
  const { session, protocol, topology, budget, options } = check;
  const { until: tag, within } = options;
  const until = tag === undefined ? undefined : (system: SystemView) => system.count(tag) > 0;
  const limits = limitsOf(check);
  const found = withSearchProgress(session, (onProgress) =>
    expected(protocol, topology, {
      ...budget,
      ...{ cost, limits, onProgress },
      ...defined({ until, within }),
    }),
  );
  const { complete, limit } = found;
  const incomplete = complete ? undefined : limitText(check, { ...found, properties: [] });
  if (limit === 'interrupted') session.exitCode = 130;
  else if (incomplete !== undefined) session.exitCode = 2;
  answer(session, options.json, { ...reported(check, found), ...defined({ incomplete }) }, () =>
    blocks(
      heading(
        titleOf(protocol, session.colours),
        [...networkRows(check), ['found', sizeText(found)], ['time', duration(found.seconds)]],
        session.colours,
      ),
      incomplete === undefined
        ? figuresText(found, { goal: goalText(tag), cost: unitOf(cost) })
        : `${session.colours.yellow('INCOMPLETE:')} ${incomplete}\n`,
      assumptionsText(found.assumptions),
      endlessText(check, found),
    ),
  );
  complain(session, incomplete);
}

const goalText = (tag: string | undefined): string =>
  tag === undefined ? 'the run ends' : `some node is '${tag}'`;

const unitOf = (cost: string): string => (cost === 'time' ? 'ms' : cost);

const sizeText = ({ states, transitions, draws }: Expectation): string =>
  [
    `${counted(states, 'state')}, ${counted(transitions, 'transition')}`,
    ...(draws === undefined ? [] : [`${counted(draws, 'state')} with a draw`]),
  ].join('; ');

/** With the trace of an endless run as a text, and a link to it. */
function reported(check: NetworkCheck, found: Expectation): object {
  const text = (figure: Figure<EndlessRun>) =>
    figure.kind === 'infinite' ? { ...figure, run: runReport(check, figure.run, found) } : figure;
  const both = (extremes: Extremes<EndlessRun> | undefined) =>
    extremes && { ...extremes, least: text(extremes.least), greatest: text(extremes.greatest) };
  const { probability, expectation, within, ...size } = found;
  return {
    ...size,
    ...defined({
      probability: both(probability),
      expectation: both(expectation),
      within: both(within),
    }),
  };
}

const runReport = (check: NetworkCheck, { trace, ...run }: EndlessRun, { tick }: Expectation) => ({
  ...{ trace: traceText(trace), loopsFrom: run.loopsFrom },
  link: linkTo(check, { verdict: 'violated', ...run }, tick),
});

/** The run that never ends, where an expectation has no bound; one, if both have none. */
function endlessText(check: NetworkCheck, { expectation, tick }: Expectation): string {
  const { least, greatest } = expectation ?? {};
  const endless = [greatest, least].find((figure) => figure?.kind === 'infinite');
  if (endless?.kind !== 'infinite') return '';
  const { trace, loopsFrom } = endless.run;
  const steps = linesText(trace.lines).split('\n').slice(0, -1);
  const title = least?.kind === 'infinite' ? 'every scheduler: ∞' : 'the greatest is ∞';
  const run = markedSteps(title, steps, loopsFrom, check.session.colours);
  return `${run}${lookLine(check, { verdict: 'violated', ...endless.run }, tick)}`;
}
