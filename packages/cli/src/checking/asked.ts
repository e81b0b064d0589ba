import type { Exploration } from '@conclave/core/exploration';
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

/** Tells the exit code by what was found; `incomplete`: why some verdict is not known. Who interrupts is told that it was. */
export function conclude(
  session: Session,
  {
    properties,
    limit,
  }: { readonly properties: readonly { readonly verdict: Verdict }[]; readonly limit?: NonNullable<Exploration['limit']> },
  incomplete: string | undefined,
): void {
  if (limit === 'interrupted') session.exitCode = 130;
  else if (properties.some(({ verdict }) => refuted.includes(verdict))) session.exitCode = 1;
  else if (incomplete !== undefined || properties.some(({ verdict }) => verdict === 'vacuous')) session.exitCode = 2;
}

/** Says on stderr, too, what kept a check from its end. */
export function complain({ exitCode, stderr, colours }: Session, incomplete: string | undefined): void {
  if (incomplete !== undefined && (exitCode === 2 || exitCode === 130)) stderr(`${colours.yellow('incomplete:')} ${incomplete}\n`);
}
