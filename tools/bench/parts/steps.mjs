/**
 * One warm step of a node's machine: compiled, by `machine.transition` with a reused scope, by
 * XState's pure `transition`, by `actor.send`.
 */
import { figure, measured, rowsInTurns } from '../measured.mjs';

const ways = {
  compiled: 'compile(machine)',
  byPlan: 'node step by plan, with the checks of the node contract',
  byXState: 'node step by XState, with the same checks',
  machine: 'machine.transition',
  transition: 'transition',
  actor: 'actor.send',
};

export function measure({ runs, ...context }) {
  const tools = ['A3', 'A7', 'A5', 'B3'].map((name) => ({
    name,
    runs,
    measure: () => measured('steps.run.mjs', [name], ['--expose-gc']),
  }));
  return rowsInTurns(tools, context, (name, found) =>
    Object.entries(ways).map(([way, tool]) => ({
      system: `${name}, ${found[0].title}`,
      tool,
      figures: { µs: figure(found.map((one) => one[way])) },
    })),
  );
}
