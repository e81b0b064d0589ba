/** Expected costs of one system, over all its schedulers. */
import { type EndlessRun, type Expectation, expected } from '@conclave/core/exploration';
import type { SystemView } from '@conclave/core/protocol';
import { linesText, traceText } from '@conclave/core/trace';
import { defined } from '../input/options.js';
import { graphFormatOf } from '../output/graph.js';
import { heading, titleOf } from '../output/text.js';
import type { NetworkCheck } from './check.js';
import { endlessRun, foundRows, reportExpected } from './expected-report.js';
import { limitsOf } from './limits.js';
import { linkTo, lookLine } from './link.js';
import { assumptionsText, markedSteps, networkRows } from './outcome.js';
import { withSearchProgress } from './search.js';

/** Computes what runs cost until they end, and how likely they do. */
export function checkExpected(asked: NetworkCheck, cost: string): void {
  const { session, protocol, topology, options } = asked;
  // as the costs are computed, so that rows and links say it
  const budget = {
    ...asked.budget,
    ...(asked.budget.crashes > 0 && { atomicSteps: true as const }),
  };
  const check = { ...asked, budget };
  const { until: tag, within, graph } = options;
  const until = tag === undefined ? undefined : (system: SystemView) => system.count(tag) > 0;
  const limits = limitsOf(check);
  const found = withSearchProgress(session, (onProgress) =>
    expected(protocol, topology, {
      ...budget,
      ...{ cost, limits, onProgress },
      ...defined({ until, within, graph: graphFormatOf(graph) }),
    }),
  );
  reportExpected(check, found, {
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

const goalText = (tag: string | undefined): string =>
  tag === undefined ? 'the run ends' : `some node is '${tag}'`;

const unitOf = (cost: string): string => (cost === 'time' ? 'ms' : cost);

/** The trace of an endless run as a text, and a link to it. */
const runReport = (check: NetworkCheck, { trace, ...run }: EndlessRun, { tick }: Expectation) => ({
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
