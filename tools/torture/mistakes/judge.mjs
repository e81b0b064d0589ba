import { sweep } from '../check/overlaps.mjs';

/**
 * What the log of a site says of its lock: how often two processes were inside at once, and which
 * tokens came again.
 *
 * @param lines [time, what, label, …] in the order they were written; times may differ from that by
 * the time of a write
 */
export function judged(lines) {
  const visits = [];
  const inside = new Map();
  for (const [at, what, label, word] of lines) {
    const time = Number(at);
    if (!['enter', 'leave', 'killed', 'exit'].includes(what)) continue;
    // no process overlaps with itself
    if (inside.has(label)) inside.get(label).to = what === 'enter' ? time - 1 : time;
    inside.delete(label);
    if (what !== 'enter') continue;
    const visit = { from: time, to: Number.POSITIVE_INFINITY, token: Number(word) };
    visits.push(visit);
    inside.set(label, visit);
  }
  const { overlaps, lateEntries } = sweep(visits);
  const tokens = new Set(visits.map(({ token }) => token));
  return {
    ...{ entries: visits.length, overlaps: overlaps.length, smaller: lateEntries.length },
    repeated: visits.length - tokens.size,
  };
}
