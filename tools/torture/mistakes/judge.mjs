/**
 * What the log of a site says of its lock: how often two processes were inside at once, and which
 * tokens came again.
 */

/**
 * @param lines [time, what, label, …] in the order they were written; times may differ from that by
 * the time of a write
 */
export function judged(lines) {
  const stays = [];
  const inside = new Map();
  const end = (label, time) => {
    const stay = inside.get(label);
    if (stay) stay.end = time;
    inside.delete(label);
  };
  for (const [at, what, label, word] of lines) {
    const time = Number(at);
    if (what === 'enter') {
      end(label, time);
      const stay = { label, start: time, end: Number.POSITIVE_INFINITY, token: Number(word) };
      stays.push(stay);
      inside.set(label, stay);
    } else if (what === 'leave' || what === 'killed' || what === 'exit') end(label, time);
  }
  stays.sort((one, other) => one.start - other.start);
  const found = { entries: stays.length, overlaps: 0, repeated: 0, smaller: 0 };
  let open = Number.NEGATIVE_INFINITY;
  let largest = 0;
  const tokens = new Set();
  for (const { start, end, token } of stays) {
    if (start < open) found.overlaps++;
    open = Math.max(open, end);
    if (tokens.has(token)) found.repeated++;
    else if (token < largest) found.smaller++;
    tokens.add(token);
    largest = Math.max(largest, token);
  }
  return found;
}
