/**
 * What the explorations of several systems show together: one verdict for each property, one list of
 * what no system has used. A violation in one system is a violation, but a property holds only in the
 * systems that were exhausted; what was cut must never turn into `holds`.
 */
import type { Exploration } from '@conclave/check';

export type Coverage = NonNullable<Exploration['coverage']>;

/** Whether every state was explored, and no limit left anything open. */
export const isExhausted = ({
  complete,
  limit,
}: Pick<Exploration, 'complete' | 'limit'>): boolean => complete && limit === undefined;

/**
 * What several systems together show about each property. A violation in one refutes it, and what
 * one reaches is reached. A property holds if it holds in every exhausted system that judges it; a
 * system that was cut, and walks, show nothing else. The first system judges all properties.
 */
export function overall(
  explorations: readonly Exploration[],
  walks: readonly Pick<Exploration, 'properties'>[] = [],
): Exploration['properties'] {
  const exhausted = explorations.filter(isExhausted);
  return (explorations[0]?.properties ?? []).map(({ name, kind }) => {
    const same = (all: readonly Pick<Exploration, 'properties'>[]) =>
      all.flatMap(({ properties }) =>
        properties.filter((property) => property.name === name && property.kind === kind),
      );
    const found = same([...explorations, ...walks]);
    const decided =
      found.find(({ verdict }) => verdict === 'violated') ??
      found.find(({ verdict }) => verdict === 'reached');
    return decided ?? { name, kind, ...undecided(same(exhausted)) };
  });
}

/**
 * The verdict of a property that no system violates or reaches; a remark only if each system makes
 * one.
 */
function undecided(
  findings: Exploration['properties'],
): Pick<Exploration['properties'][number], 'verdict' | 'remark'> {
  if (findings.some(({ verdict }) => verdict === 'incomplete')) return { verdict: 'incomplete' };
  const holding = findings.filter(({ verdict }) => verdict === 'holds');
  const { verdict = 'incomplete', remark } =
    holding.find((finding) => finding.remark === undefined) ??
    holding.at(-1) ??
    findings.at(-1) ??
    {};
  return { verdict, ...(remark === undefined ? {} : { remark }) };
}

/** How much of the statecharts several systems use together: what every one of them missed. */
export function overallCoverage(explorations: readonly Exploration[]): Coverage {
  const all = explorations.map(({ coverage = [] }) => coverage);
  return (all[0] ?? []).map((first) => {
    const roles = all.flatMap((coverage) => coverage.filter(({ role }) => role === first.role));
    const inEach = (listOf: (role: Coverage[number]) => readonly string[]) =>
      listOf(first).filter((item) => roles.every((role) => listOf(role).includes(item)));
    const missed = inEach(({ missed }) => missed);
    // A guard that was not evaluated is in neither list: then its transition is among the missed.
    const never = (listOf: (role: Coverage[number]) => readonly string[]) =>
      [...new Set(roles.flatMap(listOf))].filter((guard) =>
        roles.every(
          (role) =>
            listOf(role).includes(guard) ||
            (role.missed.includes(guard) && !role.guards.neverTrue.includes(guard)),
        ),
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
