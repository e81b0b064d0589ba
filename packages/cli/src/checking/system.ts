import { exploreSystem, type PlainExploration } from '@conclave/core/exploration';
import { ConclaveError, type Json } from '@conclave/core/protocol';
import { isConclaveError } from '../conclave-error.js';
import { type CheckOptions, requireForSystem } from '../input/check-options.js';
import { limitsOf, stoppedText } from '../input/limits.js';
import type { UserSystem } from '../input/user-system.js';
import { again } from '../output/again.js';
import { systemReport } from '../output/check-report.js';
import { oneLine } from '../output/error-line.js';
import { systemSummary } from '../output/system-summary.js';
import { answer, type Session } from '../session.js';
import { asked, complain, conclude } from './asked.js';
import { exploring } from './exploring.js';

/** Looks at every run of a system of plain functions. */
export function checkSystem(session: Session, name: string, system: UserSystem, options: CheckOptions): void {
  requireForSystem(name, options);
  const { fair: fairness = 'weak', search: order = 'breadth' } = options;
  const { properties, leftOut } = asked(system.properties, options.safety);
  const limits = limitsOf(options, session);
  let exploration: PlainExploration<Json, Json>;
  try {
    exploration = exploring(session, (onProgress) => exploreSystem(system, { properties, fairness, limits, order, onProgress }));
  } catch (error) {
    if (!(error instanceof Error) || isConclaveError(error)) throw error;
    throw new ConclaveError('bad-input', `The system '${name}' fails: ${oneLine(error.message)}`, `Again: ${again(session.argv)}`, {
      cause: error,
    });
  }
  const incomplete = stoppedText(exploration, limits);
  conclude(session, exploration, incomplete);
  answer(session, options.json, systemReport(name, exploration, { incomplete, leftOut }), () =>
    systemSummary({ name, initial: system.initial, fairness, exploration, leftOut, incomplete }, session),
  );
  complain(session, incomplete);
}
