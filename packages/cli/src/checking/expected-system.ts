/** Expected costs of a system of plain functions. */
import { expectedOfSystem } from '@conclave/core/exploration';
import type { Json } from '@conclave/core/protocol';
import { badInput } from '../errors.js';
import type { UserSystem } from '../input/module.js';
import { defined } from '../input/options.js';
import { graphFormatOf } from '../output/graph.js';
import { heading } from '../output/text.js';
import { requireWritable } from '../output/trace.js';
import type { Check } from './check.js';
import { endlessRun, foundRows, reportExpected } from './expected-report.js';
import { limitsOf } from './limits.js';
import { markedSteps } from './outcome.js';
import { withSearchProgress } from './search.js';

type Reward = (step: { readonly state: Json; readonly action: Json }) => number;

/**
 * Computes what runs of the system cost until they end: its steps, or one of its `rewards`.
 * @throws {ConclaveError} `bad-input` for a cost that the system does not have.
 */
export function checkExpectedOfSystem(
  check: Check<unknown>,
  system: UserSystem,
  cost: string,
  text: (value: Json) => string,
): void {
  const { session, name, options } = check;
  const { within, graph } = options;
  const reward = rewardOf(name, system, cost);
  requireWritable(options);
  const limits = limitsOf(check);
  const found = withSearchProgress(session, (onProgress) =>
    expectedOfSystem(system, {
      ...{ limits, onProgress },
      ...defined({ cost: reward, within, graph: graphFormatOf(graph) }),
    }),
  );
  const { colours } = session;
  reportExpected(check, found, {
    run: (run) => run,
    json: { system: name, cost },
    head: () =>
      heading(`${colours.bold(name)}, a system of plain functions`, foundRows(found), session),
    names: { goal: 'the run ends', cost },
    rest: () => {
      const endless = endlessRun(found);
      if (!endless) return [];
      const { actions, loopsFrom } = endless.run;
      return [markedSteps(endless.title, actions.map(text), loopsFrom, colours)];
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
