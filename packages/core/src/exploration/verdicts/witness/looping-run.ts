import { traceHeader } from '../../../trace/recording.js';
import { headerWith } from '../../../trace/trace.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import { runLines } from '../../worlds/run-lines.js';
import type { Worlds } from '../../worlds/worlds.js';
import type { Witness } from '../property-finding.js';

/**
 * A run that goes on with its action number `loopsFromStep` after the last one; where that is their
 * number, it stops.
 */
export function loopingRun(
  compiled: CompiledWorlds,
  actions: readonly number[],
  loopsFromStep: number,
): Required<Omit<Witness, 'reason'>> {
  const { worlds } = compiled;
  const taken = actions.map((action) => compiled.actionOf(action));
  const { lines, firstLines, steps } = runLines(worlds, taken);
  const loopsFrom = firstLines[loopsFromStep] ?? lines.length;
  return { trace: { header: headerOf(worlds), lines }, loopsFrom, steps, loopsFromStep };
}

/** The header of the trace of a run that an exploration has found. */
export function headerOf({ protocol, topology, order, budget }: Worlds): Map<string, string> {
  const header = headerWith(traceHeader(protocol, topology)).set('channels', `order ${order}`);
  return budget.unexpected === 'discard' ? header.set('unexpected', 'discard') : header;
}
