/**
 * From command to verdict in a new process: `conclave check`, beside SPIN's three commands on the
 * reference model of the same size. What such a process does in any case: Node itself, and what an
 * application imports.
 */
import { fileURLToPath } from 'node:url';
import { compiling, hasSpin } from '../explore/reference.mjs';
import { figure, inFolder, rowsInTurns, run } from '../measured.mjs';

const command = fileURLToPath(new URL('../../../packages/cli/bin/conclave.js', import.meta.url));
/** Where the packages are found. */
const cwd = fileURLToPath(new URL('..', import.meta.url));
const check = ['check', 'A3', '--topology', 'complete:3'];

export const measure = ({ runs, note, ...context }) =>
  inFolder((folder) => {
    const node =
      (...args) =>
      () =>
        run(process.execPath, args, { cwd });
    const importing = (what) => ({
      name: `import ${what}`,
      measure: node('--input-type=module', '-e', `import ${what}`),
    });
    const starting = [
      { name: 'node -e 0', measure: node('-e', '0') },
      { name: 'conclave --version', measure: node(command, '--version') },
      importing("'xstate'; import 'rxjs'"),
      importing("{ lock } from '@conclave/coordination'"),
    ];
    const checking = [{ name: `conclave ${check.join(' ')}`, measure: node(command, ...check) }];
    const spin = `${compiling(3, 1, 'pan')} && ./pan -m10000`;
    if (hasSpin(folder, note))
      checking.push({
        name: 'spin -a, gcc -O3, run',
        measure: () => run('sh', ['-c', spin], { cwd: folder }),
      });
    return rowsInTurns(
      [...starting, ...checking].map((tool) => ({ ...tool, runs })),
      context,
      (tool, found) => ({
        system: checking.some(({ name }) => name === tool) ? 'N = 3, R = 1' : 'start',
        tool,
        figures: { 'process, s': figure(found.map(({ seconds }) => seconds)) },
      }),
    );
  });
