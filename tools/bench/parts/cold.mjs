/**
 * From command to verdict in a new process: `conclave check`, beside SPIN's three commands on the
 * reference model of the same size.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figure, inTurns, isInstalled, run } from '../measured.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const check = ['check', 'A3', '--topology', 'complete:3'];
const spin =
  'spin -a -DN=3 -DR=1 model.pml && gcc -O3 -w -DSAFETY -DNOREDUCE -DNOFAIR -o pan pan.c && ./pan -m10000';

export async function measure({ runs, note, ...context }) {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-bench-'));
  try {
    copyFileSync(at('../explore/ricart-agrawala.pml'), join(folder, 'model.pml'));
    const conclave = (args) =>
      run(process.execPath, [at('../../../packages/cli/bin/conclave.js'), ...args]);
    const tools = [
      { name: `conclave ${check.join(' ')}`, runs, measure: () => conclave(check) },
      { name: 'conclave --version', runs, measure: () => conclave(['--version']) },
    ];
    if (isInstalled('spin', '-V') && isInstalled('gcc', '--version'))
      tools.push({
        name: 'spin -a, gcc -O3, run',
        runs,
        measure: () => run('sh', ['-c', spin], { cwd: folder }),
      });
    else note('SPIN or gcc is not installed. Try apt-get install spin gcc.');
    const results = await inTurns(tools, context);
    return results.flatMap((found, index) =>
      found.length === 0
        ? []
        : {
            system: 'N = 3, R = 1',
            tool: tools[index].name,
            figures: { 'process, s': figure(found.map(({ seconds }) => seconds)) },
          },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
