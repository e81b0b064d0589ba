import { type Rational, toText } from '../../probability/rational.js';
import { type CostGraph, decimalOf, identifierOf, statesOf } from './cost-graph.js';

/**
 * A graph in the explicit format DRN of the model checker Storm: one file, which
 * `storm --explicit-drn` reads, with `--exact` as fractions.
 */
export function drnText(graph: CostGraph): string {
  const parts: string[] = [];
  let [states, choices] = [0, 0];
  for (const { isInitial, isGoal, choices: all } of statesOf(graph)) {
    parts.push(`state ${states++} [0]${isInitial ? ' init' : ''}${isGoal ? ' goal' : ''}\n`);
    choices += all.length;
    for (const [action, { cost, branches }] of all.entries()) {
      parts.push(`\taction ${action} [${numberText(cost)}]\n`);
      for (const { to, probability } of branches)
        parts.push(`\t\t${to} : ${numberText(probability)}\n`);
    }
  }
  const name = identifierOf(graph.cost);
  const header = [
    `// Solve R{"${name}"}min=? [F "goal"] and R{"${name}"}max=? [F "goal"].`,
    '// A state that has no successor in the system has a loop of cost 0.',
    '// A number is a decimal where that is exact, else a fraction.',
    '// What an action costs is the mean over its draw.',
    ...['@type: MDP', '@parameters', '', '@reward_models', name],
    ...['@nr_states', states, '@nr_choices', choices, '@model'],
  ];
  return `${header.join('\n')}\n${parts.join('')}`;
}

const numberText = (value: Rational): string => decimalOf(value) ?? toText(value);
