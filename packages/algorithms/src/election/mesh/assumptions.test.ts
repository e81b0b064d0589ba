import { readFileSync } from 'node:fs';
import { explore } from '@conclave/core/exploration';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { grid } from '@conclave/core/topology';
import { linesText, parseTrace, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { lineThrough } from '../../contract/fit.js';
import { withMachine } from '../../contract/mutant.js';
import { conditionsFor } from '../../contract/sweep.js';
import { ignoringUnexpected } from '../../mutual-exclusion/ignoring-unexpected.contract.js';
import { handled, outcomeOf, quiescence } from '../../mutual-exclusion/outcome.contract.js';
import { machine } from './mesh.js';
import { allDirections, meshes, meshOf } from './meshes.contract.js';
import { mesh } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const square = grid(2, 2);
const oneLeader = 'at most one node is the leader';

describe('mesh assumptions', () => {
  const fromA = { initiators: ['a'] };

  proof.each([
    ['a lost message', { losses: 1 }, handled, 2],
    ['a crash', { crashes: 1 }, 'every live node knows the one leader', 1],
    ['a restart', { crashes: 1, restarts: 1 }, handled, 4],
    ['messages out of order', { order: 'any' }, handled, 1],
  ] as const)(
    '%s never makes two leaders on 2 × 2, and has this shortest run',
    (_what, budget, broken, steps) => {
      const ignoring = outcomeOf(ignoringUnexpected(mesh), square, { ...fromA, ...budget });
      expect(ignoring.verdicts).toMatchObject({ [oneLeader]: 'holds' });
      expect(ignoring.verdicts[quiescence]).toMatch(/^violated in/);
      expect(outcomeOf(mesh, square, { ...fromA, ...budget }).verdicts).toMatchObject({
        [broken]: `violated in ${steps}`,
      });
    },
  );

  it('a duplicated message does no harm on 2 × 2', () => {
    const { verdicts, states } = outcomeOf(mesh, square, { ...fromA, duplications: 1 });
    expect(
      Object.values(verdicts).filter((verdict) => verdict !== 'holds' && verdict !== 'reached'),
    ).toEqual([]);
    expect(states).toBe(14_807);
  });

  proof(
    'if border nodes passed candidates on across, the wrong corner could win on 2 × 3: the page shows the shortest run',
    () => {
      const across = withMachine(
        mesh,
        machine.provide({
          actions: {
            findBorder: assign(({ context }) => ({
              along: context.neighbours.slice(0, 2),
              beyond: {},
            })),
          },
        }),
      );
      const network = meshOf(2, 3, ['a', 'z', 'm9', 'b']);
      const { properties } = explore(across, network, { ...fromA, all: false });
      const [wrong] = properties.filter(({ verdict }) => verdict === 'violated');
      const [, shown = ''] = /```text\n([^`]*# variant[^`]*)```/.exec(page) ?? [];
      expect(wrong).toMatchObject({ name: 'the leader is the corner with the largest id' });
      expect(linesText(parseTrace(shown).lines)).toBe(linesText(wrong?.trace?.lines ?? []));
      expect(replay(across, network, parseTrace(shown))).toEqual({
        steps: wrong?.trace?.lines.length,
      });
    },
  );
});

describe('mesh cost', () => {
  const run = (
    ...[topology, seed = 1, nodes = topology.nodes]: [
      ReturnType<typeof grid>,
      number?,
      (readonly string[])?,
    ]
  ) =>
    simulate({
      protocol: mesh,
      topology,
      workload: oneShot({ type: 'elect' }, { nodes }),
      seed,
      conditions: conditionsFor(mesh).at(-1) ?? {},
    });

  proof(
    'is 2m to wake all and 2m − n + 1 to announce, for all initiators; the candidates cost at most 6 max(a, b) + 4 min(a, b) − 10',
    () => {
      for (let rows = 2; rows <= 5; rows++)
        for (let columns = rows; columns <= 5; columns++)
          for (const nodes of [undefined, ['a'], ['b', 'c']]) {
            const network = grid(rows, columns);
            const [n, m] = [network.nodes.length, network.links.length / 2];
            const result = run(network, 7, nodes);
            expect(result.messages).toMatchObject({ 'wake-up': 2 * m, elected: 2 * m - n + 1 });
            expect(mesh.cost?.messages(n, network).most).toBeLessThanOrEqual(
              7 * n + 2 * columns - 9,
            );
            expect(totalMessages(result)).toBeLessThanOrEqual(
              mesh.cost?.messages(n, network).most ?? 0,
            );
            expect(totalMessages(result)).toBeGreaterThanOrEqual(
              mesh.cost?.messages(n, network).least ?? Infinity,
            );
          }
    },
  );

  proof(
    'reaches 7n + 2 max(a, b) − 9 for some order of the corners and some directions, on each of these grids',
    () => {
      for (const [rows, columns] of [
        [2, 2],
        [2, 3],
        [2, 4],
        [3, 3],
      ] as const) {
        const n = rows * columns;
        const networks = meshes(rows, columns, allDirections);
        expect(
          Math.max(...networks.map((network) => mesh.cost?.messages(n, network).most ?? 0)),
        ).toBe(7 * n + 2 * columns - 9);
        const costs = networks.map((network) => totalMessages(run(network)));
        expect(Math.max(...costs)).toBe(7 * n + 2 * columns - 9);
        expect(Math.min(...costs)).toBeGreaterThanOrEqual(
          mesh.cost?.messages(n, networks[0]).least ?? Infinity,
        );
      }
    },
  );

  proof('grows by 7 messages a node on squares up to 50 × 50 and on grids of two rows', () => {
    const points = (sizes: readonly (readonly [number, number])[]) =>
      sizes.map(([rows, columns]) => ({
        x: rows * columns,
        y: totalMessages(run(grid(rows, columns))),
      }));
    const squares = lineThrough(points([5, 20, 35, 50].map((side) => [side, side])));
    const ladders = lineThrough(points([5, 50, 400].map((length) => [2, length])));
    for (const { slope, correlation } of [squares, ladders]) {
      expect(slope).toBeCloseTo(7, 1);
      expect(correlation).toBeGreaterThan(0.9999);
    }
    expect(totalMessages(run(grid(50, 50)))).toBe(17_542);
  });
});
