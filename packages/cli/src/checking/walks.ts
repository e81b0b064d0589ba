import { type Walks, walk } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import type { CheckOptions } from '../input/check-options.js';
import { again, withCommand } from '../output/again.js';
import { walkReport } from '../output/check-report.js';
import { counted } from '../output/numbers.js';
import { Progress } from '../output/progress.js';
import { walkSummary } from '../output/walk-summary.js';
import { answer, type Session, stopOf } from '../session.js';
import { complain, conclude } from './asked.js';
import { settingOf, written } from './setting.js';

const proveNothing = 'walks prove nothing; leave out --walks to look at every interleaving.';

/** Takes random walks through the interleavings of a protocol that has too many of them. */
export function checkByWalks(session: Session, name: string, protocol: Protocol, walks: number, options: CheckOptions): void {
  const { steps = 1000, seed = 1 } = options;
  const setting = settingOf(session, protocol, options);
  const { topology, budget, properties, leftOut } = setting;
  const command = again(session.argv, seed);
  const progress = new Progress(session);
  const onProgress = (made: number, taken: number, states: number) =>
    progress.show(() => `walking: ${counted(made, 'walk')}, ${counted(taken, 'step')}, ${counted(states, 'state')}`);
  let result: Walks;
  try {
    result = walk(protocol, topology, { ...budget, properties, seed, walks, steps, onProgress, ...stopOf(session) });
  } catch (error) {
    throw withCommand(error, command);
  } finally {
    progress.stop();
  }
  const incomplete = `${result.limit === 'interrupted' ? `interrupted after ${counted(result.walks, 'walk')}; ` : ''}${proveNothing}`;
  conclude(session, result, incomplete);
  const file = written(name, options, result.properties.find(({ verdict }) => verdict === 'violated')?.trace);
  answer(session, options.json, walkReport(result, command, { incomplete, leftOut }), () => {
    const summary = walkSummary(setting, result, steps, command, session);
    return file === undefined ? summary : `${summary}\n${file}`;
  });
  complain(session, incomplete);
}
