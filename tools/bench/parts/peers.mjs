/**
 * Other model checkers on the reference model: each compiles it and returns a tool to measure;
 * undefined, with a note, where it is missing.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, run } from '../measured.mjs';

const model = (name) => new URL(`../explore/${name}`, import.meta.url);

function areInstalled(name, tools, note) {
  const missing = tools.filter(([tool, flag]) => !isInstalled(tool, flag)).map(([tool]) => tool);
  if (missing.length > 0)
    note(
      `${name} left out: ${missing.join(' and ')} not installed. Try apt-get install ${missing.join(' ')}.`,
    );
  return missing.length === 0;
}

/**
 * `-DSAFETY`: no search for cycles. `-DNOREDUCE`: all states, like the other tools. States are
 * stored exactly. Collapse compression, smaller channels and other hash tables were no faster.
 */
export function spin(folder, nodes, commands, note) {
  if (
    !areInstalled(
      'SPIN',
      [
        ['spin', '-V'],
        ['gcc', '--version'],
      ],
      note,
    )
  )
    return undefined;
  const at = { cwd: folder };
  copyFileSync(model('ricart-agrawala.pml'), join(folder, 'model.pml'));
  execFileSync('spin', ['-a', `-DN=${nodes}`, `-DR=${commands}`, 'model.pml'], at);
  const verifier = `./pan-${nodes}-${commands}`;
  execFileSync(
    'gcc',
    ['-O3', '-w', '-DSAFETY', '-DNOREDUCE', '-DNOFAIR', '-o', verifier, 'pan.c'],
    at,
  );
  return {
    name: 'SPIN',
    measure: async () => {
      const { stdout, seconds } = await run(
        verifier,
        ['-m10000', commands > 2 ? '-w24' : '-w22'],
        at,
      );
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
    },
  };
}

/**
 * Rumur tells whole seconds only, so that its search is the time of the whole process. One thread,
 * no symmetry: all states.
 */
export function rumur(folder, nodes, commands, note) {
  if (
    !areInstalled(
      'Rumur',
      [
        ['rumur', '--version'],
        ['gcc', '--version'],
      ],
      note,
    )
  )
    return undefined;
  const [source, verifier] = ['model.m', `./rumur-${nodes}-${commands}`];
  const text = readFileSync(model('ricart-agrawala.m'), 'utf8');
  writeFileSync(
    join(folder, source),
    text.replace(/^ {2}N: \d+;/m, `  N: ${nodes};`).replace(/^ {2}R: \d+;/m, `  R: ${commands};`),
  );
  const at = { cwd: folder };
  execFileSync(
    'rumur',
    [
      '--deadlock-detection',
      'off',
      '--symmetry-reduction',
      'off',
      '--threads',
      '1',
      '--output',
      'model.c',
      source,
    ],
    at,
  );
  execFileSync(
    'gcc',
    ['-std=c11', '-O3', '-march=native', '-mcx16', '-w', 'model.c', '-o', verifier, '-lpthread'],
    at,
  );
  return {
    name: 'Rumur',
    measure: async () => {
      const { stdout, seconds, peak } = await run(verifier, [], at);
      const [, states, transitions] = /(\d+) states, (\d+) rules fired/.exec(stdout) ?? [];
      if (!stdout.includes('No error found')) throw new Error(`Rumur reports:\n${stdout}`);
      return {
        states: Number(states),
        transitions: Number(transitions),
        seconds,
        process: seconds,
        ...(peak ? { peak } : {}),
      };
    },
  };
}
