import type { Exploration, PropertyFinding, RoleCoverage } from '@conclave/core/exploration';
import type { Verdict } from '@conclave/core/protocol';

/**
 * What several systems together say of each property. A violation in one refutes it, and what one has reached is reached. To hold it must do
 * so in every system that was exhausted; of one that was not, nothing else is taken.
 */
export function overall(explorations: readonly Exploration[]): readonly PropertyFinding[] {
  const exhausted = explorations.filter(({ complete }) => complete);
  return (explorations[0]?.properties ?? []).map(({ name, kind }, index) => {
    const same = (all: readonly Exploration[]) => all.flatMap(({ properties }) => properties[index] ?? []); // each was asked the same
    const decided = same(explorations).find(({ verdict }) => verdict === 'violated' || verdict === 'reached');
    return decided ?? { name, kind, verdict: undecided(same(exhausted).map(({ verdict }) => verdict)) };
  });
}

/** The verdict of a property that no system violates or reaches. */
function undecided(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.length === 0 || verdicts.includes('incomplete')) return 'incomplete';
  return verdicts.find((verdict) => verdict === 'holds') ?? verdicts.at(-1) ?? 'incomplete';
}

/** What several systems together have used of the statecharts: what each has left out. */
export function overallCoverage(explorations: readonly Exploration[]): readonly RoleCoverage[] {
  const all = explorations.map(({ coverage = [] }) => coverage);
  return (all[0] ?? []).map((first) => {
    const roles = all.flatMap((coverage) => coverage.filter(({ role }) => role === first.role));
    const inEach = (listOf: (role: RoleCoverage) => readonly string[]) =>
      listOf(first).filter((item) => roles.every((role) => listOf(role).includes(item)));
    const missed = inEach(({ missed }) => missed);
    // A guard is in neither list where it was not asked: there its transition is among the missed.
    const never = (listOf: (role: RoleCoverage) => readonly string[]) =>
      [...new Set(roles.flatMap(listOf))].filter((guard) =>
        roles.every((role) => listOf(role).includes(guard) || (role.missed.includes(guard) && !role.guards.neverTrue.includes(guard))),
      );
    return {
      role: first.role,
      transitions: first.transitions,
      taken: first.transitions - missed.length,
      missed,
      guards: {
        asked: Math.max(...roles.map(({ guards }) => guards.asked)),
        neverTrue: never(({ guards }) => guards.neverTrue),
        neverFalse: never(({ guards }) => guards.neverFalse),
      },
      unentered: inEach(({ unentered }) => unentered),
      undelivered: inEach(({ undelivered }) => undelivered),
    };
  });
}
