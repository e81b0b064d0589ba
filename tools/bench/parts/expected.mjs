/** The least expected cost of decision processes with three successors a state. */
import { fileURLToPath } from 'node:url';
import { figure, inTurns, measured } from '../measured.mjs';

const runner = fileURLToPath(new URL('./expected.run.mjs', import.meta.url));
const kinds = {
  layers: '20 layers, without a cycle',
  rounds: '20 layers that begin again, one component',
  grid: 'a walk on a square, one component',
};

export async function measure({ runs, quick, ...context }) {
  const states = quick ? 100_000 : 1_000_000;
  const tools = Object.keys(kinds).map((kind) => ({
    name: kind,
    runs,
    measure: () => measured(runner, [kind, states]),
  }));
  const results = await inTurns(tools, context);
  return results.flatMap((found, index) =>
    found.length === 0
      ? []
      : {
          system: kinds[tools[index].name],
          tool: `expectedCost, ${found[0].kind}`,
          states,
          figures: {
            'CPU, s': figure(found.map(({ cpu }) => cpu)),
            MB: figure(found.map(({ peak }) => peak)),
          },
        },
  );
}
