import { grouped } from './grouped.mjs';

/**
 * No tick of a job is done twice. None is missing between the first and the last but those that a
 * fault has cut short: its process has died in it, or has dropped it when it lost the lock, or was
 * refused by the store; or the next leader says so.
 */
export function checkTicks({ options, written, ticks, deaths }, found) {
  if (options.jobs.length === 0) return;
  const { violations } = found;
  const all = { done: 0, cut: 0, refused: 0 };
  const byName = grouped(ticks, ({ name }) => name);
  const cut = cutShort({ written, ticks, deaths });
  for (const name of options.jobs) {
    const its = byName.get(name) ?? [];
    const done = its.filter(({ accepted }) => accepted).map(({ tick }) => tick);
    if (done.length === 0) violations.push(`The job ${name} never ran`);
    const known = new Set();
    for (const tick of done) {
      if (known.has(tick)) violations.push(`${name}: the tick ${tick} is done twice`);
      known.add(tick);
    }
    const missing = dueFrom(done).filter((tick) => !known.has(tick));
    for (const tick of missing)
      if (!cut.has(`${name} ${tick}`)) violations.push(`${name}: the tick ${tick} is lost`);
    all.done += done.length;
    all.cut += missing.length;
    all.refused += its.length - done.length;
  }
  found.ticks = all;
}

/** By name and tick. */
function cutShort({ written, ticks, deaths }) {
  const cut = new Set(
    ticks.filter(({ accepted }) => !accepted).map(({ name, tick }) => `${name} ${tick}`),
  );
  const last = new Map(); // which a process has begun
  for (const { words } of written) {
    const [what, node, incarnation, name, , tick] = words;
    if (what === 'interrupted' || what === 'dropped') cut.add(`${name} ${tick}`);
    if (what === 'began') last.set(`${node} ${incarnation} ${name}`, { name, tick });
  }
  for (const [place, { name, tick }] of last)
    if (deaths.has(place.split(' ', 2).join(' '))) cut.add(`${name} ${tick}`);
  return cut;
}

/** The ticks from the first to the last: their distance is the least one. */
function dueFrom(done) {
  const sorted = [...new Set(done)].sort((a, b) => a - b);
  const every = sorted.reduce(
    (least, tick, index) => (index === 0 ? least : Math.min(least, tick - sorted[index - 1])),
    Number.POSITIVE_INFINITY,
  );
  const [first] = sorted;
  const count = sorted.length < 2 ? 0 : (sorted.at(-1) - first) / every + 1;
  return Array.from({ length: count }, (_, index) => first + index * every);
}
