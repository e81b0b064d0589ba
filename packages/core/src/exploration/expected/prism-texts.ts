import { type Rational, toNumber } from '../../probability/rational.js';
import { type CostGraph, decimalOf, identifierOf, statesOf } from './cost-graph.js';

/**
 * A graph in the explicit files of the model checker PRISM, by their ending: transitions, labels
 * and the costs of choices. `prism -importmodel NAME.all` reads them.
 */
export function prismTexts(graph: CostGraph): Readonly<Record<'.tra' | '.lab' | '.trew', string>> {
  const transitions: string[] = [];
  const labels: string[] = [];
  const costs: string[] = [];
  let [states, choices] = [0, 0];
  for (const { isInitial, isGoal, choices: all } of statesOf(graph)) {
    const state = states++;
    choices += all.length;
    if (isInitial || isGoal)
      labels.push(`${state}:${isInitial ? ' 0' : ''}${isGoal ? ' 1' : ''}\n`);
    for (const [choice, { cost, branches }] of all.entries())
      for (const { to, probability } of branches) {
        const at = `${state} ${choice} ${to}`;
        transitions.push(`${at} ${numberText(probability)}\n`);
        if (cost.numerator > 0n) costs.push(`${at} ${numberText(cost)}\n`);
      }
  }
  const name = identifierOf(graph.cost);
  // older versions of PRISM take comments here only
  const header = [
    `# Reward structure "${name}"`,
    '# Transition rewards',
    `# Solve R{"${name}"}min=? [F "goal"] and R{"${name}"}max=? [F "goal"].`,
    '# A state that has no successor in the system has a loop of cost 0.',
    '# A number that is no finite binary fraction has 17 digits.',
    '# What a choice costs is the mean over its draw.',
  ];
  return {
    '.tra': `${states} ${choices} ${transitions.length}\n${transitions.join('')}`,
    '.lab': `0="init" 1="goal"\n${labels.join('')}`,
    '.trew': `${header.join('\n')}\n${states} ${choices} ${costs.length}\n${costs.join('')}`,
  };
}

const numberText = (value: Rational): string => decimalOf(value) ?? toNumber(value).toPrecision(17);
