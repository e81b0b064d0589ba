/**
 * One warm step of a node's machine: compiled, by `machine.transition` with a reused scope, by
 * XState's pure `transition`, by `actor.send`.
 */
import { fileURLToPath } from 'node:url';
import { figure, inTurns, measured } from '../measured.mjs';

const runner = fileURLToPath(new URL('./steps.run.mjs', import.meta.url));
const ways = {
  compiled: 'compile(machine)',
  byPlan: 'node step by plan, with the checks of the node contract',
  byXState: 'node step by XState, with the same checks',
  machine: 'machine.transition',
  transition: 'transition',
  actor: 'actor.send',
};

export async function measure({ runs, ...context }) {
  const tools = ['A3', 'A7', 'A5', 'B3'].map((name) => ({
    name,
    runs,
    measure: () => measured(runner, [name], ['--expose-gc']),
  }));
  const results = await inTurns(tools, context);
  return results.flatMap((found, index) =>
    found.length === 0
      ? []
      : Object.entries(ways).map(([way, tool]) => ({
          system: `${tools[index].name}, ${found[0].title}`,
          tool,
          figures: { µs: figure(found.map((one) => one[way])) },
        })),
  );
}
