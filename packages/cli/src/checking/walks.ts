/** Checks of one system by random walks through the interleavings of a protocol. */
import { walk } from '@conclave/check';
import { defined } from '../input/options.js';
import { counted, number, titleOf } from '../output/text.js';
import { again, repeatable } from '../output/trace.js';
import { stopOf, withProgress } from '../session.js';
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

/** How long a walk is at most, by default. */
export const usualSteps = 1000;

export const walksText = 'walks prove nothing; leave out --walks to explore every interleaving.';

/** Takes random walks through the interleavings of a protocol that has too many of them. */
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
  const { properties: findings, limit } = result;
  const interrupted = `interrupted after ${counted(result.walks, 'walk')}; `;
  conclude(check, {
    ...{ findings, limit },
    incomplete: `${limit === 'interrupted' ? interrupted : ''}${walksText}`,
    report: {
      ...result,
      complete: false,
      properties: findingReports(check, result),
      again: command,
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...networkRows(check),
        [
          'walks',
          `${number(result.walks)} of up to ${counted(steps, 'step')}; seed ${result.seed}`,
        ],
        ['met', `${counted(result.states, 'state')} in ${counted(result.steps, 'step')}`],
        ...coverageRows({
          ...defined({ coverage: result.coverage }),
          taken: 'reached by walks, not exhausted',
        }),
      ],
      complete: '',
      advice: ' They can refute properties of states, and of runs by a run that ends.',
      assumptions: assumptionsText(result.assumptions),
      more: [...counterexamples(check, result), whatToTry(check, findings), `Again: ${command}\n`],
    }),
  });
}
