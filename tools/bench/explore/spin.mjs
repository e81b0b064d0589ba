/** SPIN on the reference model: it is compiled, and then measured. */
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, run } from '../measured.mjs';

/**
 * The shell command that compiles the model. `-DSAFETY`: no search for cycles. `-DNOREDUCE`: all
 * states, as the other tools. States are stored exactly. Collapse compression, smaller channels and
 * other hash tables were no faster.
 */
export const compiling = (nodes, commands, verifier) =>
  `spin -a -DN=${nodes} -DR=${commands} model.pml && gcc -O3 -w -DSAFETY -DNOREDUCE -DNOFAIR -o ${verifier} pan.c`;

/** Copies the model into `folder`. False, with a note, where SPIN or gcc is missing. */
export function hasSpin(folder, note) {
  copyFileSync(new URL('./ricart-agrawala.pml', import.meta.url), join(folder, 'model.pml'));
  const isThere = isInstalled('spin', '-V') && isInstalled('gcc', '--version');
  if (!isThere) note('SPIN left out: it or gcc is not installed. Try apt-get install spin gcc.');
  return isThere;
}

/** Compiles the model. Returns the tool to measure. */
export function spin(folder, nodes, commands) {
  const verifier = `./pan-${nodes}-${commands}`;
  execFileSync('sh', ['-c', compiling(nodes, commands, verifier)], { cwd: folder });
  const measure = async () => {
    const size = commands > 2 ? '-w24' : '-w22';
    const { stdout, seconds } = await run(verifier, ['-m10000', size], { cwd: folder });
    const number = (pattern) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN);
    if (number(/errors: (\d+)/) !== 0) throw new Error(`SPIN reports:\n${stdout}`);
    return {
      states: number(/(\d+) states, stored/),
      // SPIN counts the step into the initial state
      transitions: number(/(\d+) transitions \(=/) - 1,
      seconds: number(/elapsed time ([\d.]+) seconds/),
      process: seconds,
      peak: number(/([\d.]+)\s+total actual memory usage/),
    };
  };
  return { name: 'SPIN', measure };
}
