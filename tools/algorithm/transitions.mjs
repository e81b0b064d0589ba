/**
 * Which transitions of the machines the runs of a row of mutants take, on the explored systems and in
 * the walks: where one is never taken, the mutants that change what it does are unreached.
 */
import { mutantsOf } from '@conclave/core/internal/mutation';

/** Not judged by runs: rejected, or killed by the definition. */
const withoutRuns = ['R', '-'];

/**
 * The transitions of a row, each with its mutants; `isTaken` is undefined where no run has judged one
 * of them.
 *
 * @param {import('./mutants.mjs').Subject} subject
 * @param {readonly { id: string, letter: string }[]} mutants as `recorded` gives them
 */
export function transitionsOf({ protocol }, mutants) {
  const letters = new Map(mutants.map(({ id, letter }) => [id, letter]));
  const sites = mutantsOf(protocol).filter(
    ({ id, site }) => site?.by === 'taking' && site.slot && letters.has(id),
  );
  const slotOf = ({ role, path, slot: { kind, key } }) => [role, path.join('.'), kind, key].join();
  const several = new Set(sites.flatMap(({ site }) => (site.index > 0 ? [slotOf(site)] : [])));
  const found = new Map();
  for (const { id, role, state, site } of sites) {
    const slot = slotOf(site);
    if (site.index === undefined && several.has(slot)) continue;
    const key = `${slot},${site.index ?? 0}`;
    const { ids = [] } = found.get(key) ?? {};
    found.set(key, { role, state, ids: [...ids, id] });
  }
  return [...found.values()].map(({ ids, ...where }) => {
    const judged = ids.map((id) => letters.get(id)).filter((one) => !withoutRuns.includes(one));
    const isTaken = judged.length === 0 ? undefined : judged.some((letter) => letter !== 'N');
    return { ...where, ids, isTaken };
  });
}
