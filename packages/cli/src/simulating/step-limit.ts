/** What a run needs that the limit of steps has ended. */
import { expectedSteps } from '@conclave/core/internal/simulation';
import { number } from '../output/text.js';
import type { SimulateOptions } from './options.js';
import { type Simulated, untilOf } from './system.js';

/** As a sentence: how many steps the protocol takes by its formula, and what to try. */
export function limitText({ options: system }: Simulated, options: SimulateOptions): string {
  const { protocol, topology } = system;
  const needed = expectedSteps(protocol, topology, options.entries);
  const { steps } = untilOf(system, options);
  if (needed === undefined || needed <= steps || !protocol.cost)
    return `Give more than --until-steps ${steps}, or --until-time if it runs forever.`;
  const { formula, average } = protocol.cost;
  const enough = average ? 2 * needed : needed;
  return `By its formula, ${formula}, ${protocol.title} takes ${average ? 'about' : 'up to'} ${number(needed)} steps here: give --until-steps ${enough}.`;
}
