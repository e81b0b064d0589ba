/**
 * From command to verdict in a new process: `conclave check`, beside SPIN's three commands on the
 * reference model of the same size.
 */
import { fileURLToPath } from 'node:url';
import { compiling, hasSpin } from '../explore/reference.mjs';
import { figure, inFolder, rowsInTurns, run } from '../measured.mjs';

const command = fileURLToPath(new URL('../../../packages/cli/bin/conclave.js', import.meta.url));
const check = ['check', 'A3', '--topology', 'complete:3'];

export const measure = ({ runs, note, ...context }) =>
  inFolder((folder) => {
    const conclave = (args) => () => run(process.execPath, [command, ...args]);
    const tools = [
      { name: `conclave ${check.join(' ')}`, runs, measure: conclave(check) },
      { name: 'conclave --version', runs, measure: conclave(['--version']) },
    ];
    const spin = `${compiling(3, 1, 'pan')} && ./pan -m10000`;
    if (hasSpin(folder, note))
      tools.push({
        name: 'spin -a, gcc -O3, run',
        runs,
        measure: () => run('sh', ['-c', spin], { cwd: folder }),
      });
    return rowsInTurns(tools, context, (tool, found) => ({
      system: 'N = 3, R = 1',
      tool,
      figures: { 'process, s': figure(found.map(({ seconds }) => seconds)) },
    }));
  });
