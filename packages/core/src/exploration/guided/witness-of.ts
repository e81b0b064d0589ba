import type { Witness } from '../verdicts/property-finding.js';
import { headerOf } from '../verdicts/witness/looping-run.js';
import { shrink } from '../verdicts/witness/shrink.js';
import { faultIn } from '../worlds/next-or-fault.js';
import { runLines } from '../worlds/run-lines.js';
import type { Worlds } from '../worlds/worlds.js';
import { type Asked, judgedRuns } from './judged-run.js';
import type { Evidence } from './questions.js';

/** The run that decides a property, shrunk; XState takes its steps. */
export function witnessOf(worlds: Worlds, asked: Asked, { run, ends }: Evidence): Witness {
  const runs = judgedRuns(worlds, asked);
  const short = shrink(runs, run, (end) => runs.decides(end, ends));
  const header = headerOf(worlds);
  const end = short.reduce((world, action) => worlds.next(world, action), worlds.initial);
  const fault = typeof asked === 'string' ? faultIn(worlds, end, asked) : undefined;
  if (fault) header.set('fault', fault.message);
  const { lines, steps } = runLines(worlds, short);
  const loop = ends ? { loopsFrom: lines.length, loopsFromStep: steps.length } : {};
  return { trace: { header, lines }, steps, ...loop, ...(fault && { reason: fault.message }) };
}
