/** In µs, for the line that a process writes after it has looked. */
const inaccuracy = 10_000;

/**
 * A process whose thread was busy knows at once whether it still has the lock: not after a longer
 * time than its limit, and not once another process has entered.
 */
export function checkSpins({ options, written, visits }, found) {
  const { watch } = options.protocol;
  if (!watch) return;
  const spins = { kept: 0, lost: 0 };
  for (const { time, words } of written) {
    const [what, node, incarnation, name, token, ms, outcome] = words;
    if (what !== 'spun') continue;
    spins[outcome]++;
    if (outcome !== 'kept') continue;
    const who = `${name}: ${node} ${incarnation} (${token})`;
    if (Number(ms) > watch.stall)
      found.violations.push(`${who} has the lock after ${ms} ms without a turn of its loop`);
    const newer = visits.find(
      (visit) =>
        visit.name === name && visit.token > Number(token) && visit.from < time - inaccuracy,
    );
    if (newer)
      found.violations.push(`${who} says that it has the lock, and ${newer.process} has entered`);
  }
  // on a busy machine some are lost
  if (spins.kept === 0 && spins.lost >= 5)
    found.missing.push('No process has kept the lock while it was busy');
  found.spins = spins;
}
