import { isOfRuns, type Property, type Verdict } from '@conclave/core/protocol';
import { refuted } from '../output/check-report.js';
import type { Session } from '../session.js';

/** What is asked, and what `--safety` leaves out of it. */
export function asked<P extends { readonly kind: Property['kind'] }>(
  properties: readonly P[],
  safety: boolean | undefined,
): { readonly properties: readonly P[]; readonly leftOut: readonly P[] } {
  if (!safety) return { properties, leftOut: [] };
  return { properties: properties.filter((property) => !isOfRuns(property)), leftOut: properties.filter(isOfRuns) };
}

/** Tells the exit code by what was found; `incomplete`: why some verdict is not known. */
export function conclude(session: Session, findings: readonly { readonly verdict: Verdict }[], incomplete: string | undefined): void {
  if (findings.some(({ verdict }) => refuted.includes(verdict))) session.exitCode = 1;
  else if (incomplete !== undefined || findings.some(({ verdict }) => verdict === 'vacuous')) session.exitCode = 2;
}

/** Says on stderr, too, what kept a check without a violation from its end. */
export function complain({ exitCode, stderr, colours }: Session, incomplete: string | undefined): void {
  if (exitCode === 2 && incomplete !== undefined) stderr(`${colours.yellow('incomplete:')} ${incomplete}\n`);
}
