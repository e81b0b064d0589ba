/**
 * Both in µs: of the times of a stall, and from the end of a pause until the timers that were due
 * have run.
 */
const inaccuracy = 10_000;
const catchingUp = 100_000;

/**
 * Two inside at once, and the order of the tokens. A visit lasts from its line `enter` to its line
 * `leave` or `lost`, or to the death of its process: within that time its process takes itself for
 * the one inside. The real visit is longer: what is found here is certain.
 */
export function checkOverlaps({ options, visits, operations, windows }, found) {
  const { violations } = found;
  const overlaps = [];
  const lateEntries = [];
  for (const [name, its] of grouped(visits, ({ name }) => name)) {
    const tokens = new Set();
    for (const { token, process } of its) {
      if (tokens.has(token))
        violations.push(`${name}: two entries with the token ${token}, one of ${process}`);
      tokens.add(token);
    }
    const pairs = sweep(its);
    overlaps.push(...pairs.overlaps);
    lateEntries.push(...pairs.lateEntries);
  }
  checkLateWrites(overlaps, operations, violations);
  const byStall = new Set();
  const end = options.protocol.kill
    ? 'it was told too late, and did not pause'
    : 'this protocol has no lease';
  for (const pair of [...overlaps, ...lateEntries]) {
    const { stale, newer } = pair;
    const reason = reasonOf(pair, windows);
    if (reason === 'stalled') byStall.add(stale);
    if (options.protocol.kill && reason) continue;
    const most = Math.min(stale.to, newer.to) - newer.from;
    violations.push(
      `${stale.name}: ${stale.process} (${stale.token}) is inside, ends by '${stale.how}', ${newer.process} (${newer.token}) enters, for ${most} µs: ${end}`,
    );
  }
  Object.assign(found, {
    overlaps: new Set(overlaps.map(({ stale }) => stale)).size,
    lateEntries: new Set(lateEntries.map(({ stale }) => stale)).size,
    overlapsByStall: byStall.size,
  });
}

/**
 * Of the visits of one lock: the pairs that share some time, and those with a smaller token than
 * one that was over before.
 */
export function sweep(visits) {
  const overlaps = [];
  const lateEntries = [];
  let inside = [];
  let newest; // of the visits that are over, the one with the largest token
  for (const visit of visits.toSorted((one, other) => one.from - other.from)) {
    for (const before of inside)
      if (before.to < visit.from && before.token > (newest?.token ?? -1)) newest = before;
    inside = inside.filter(({ to }) => to >= visit.from);
    if (newest?.token > visit.token) lateEntries.push({ stale: visit, newer: newest });
    overlaps.push(...inside.map((before) => byToken(visit, before)));
    inside.push(visit);
  }
  return { overlaps, lateEntries };
}

const byToken = (one, other) =>
  one.token < other.token ? { stale: one, newer: other } : { stale: other, newer: one };

/** The store takes no write of a stale visit once the newer one has used its token. */
function checkLateWrites(overlaps, operations, violations) {
  const firstUse = new Map();
  const lastWrite = new Map();
  for (const [index, { op, name, token, accepted }] of operations.entries()) {
    const key = `${name} ${token}`;
    if (accepted && !firstUse.has(key)) firstUse.set(key, index);
    if (accepted && op === 'write') lastWrite.set(key, index);
  }
  for (const { stale, newer } of overlaps)
    if (
      lastWrite.get(`${stale.name} ${stale.token}`) > firstUse.get(`${newer.name} ${newer.token}`)
    )
      violations.push(
        `${stale.name}: two inside, and the store accepts the write of ${stale.process} (${stale.token}) after ${newer.process} (${newer.token})`,
      );
}

/**
 * Why the process of the stale visit did not run. One that runs is told before another one enters:
 * only one that did not run just then may be inside, and it is told soon afterwards.
 */
const reasonOf = ({ stale, newer }, windows) =>
  windows
    .get(stale.process)
    ?.find(
      ({ from, to }) =>
        from <= Math.max(stale.from, newer.from) &&
        to >= newer.from - inaccuracy &&
        (stale.from > newer.from || stale.to <= to + catchingUp),
    )?.why;

/** By key: the items that have it, in their order. */
export function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
