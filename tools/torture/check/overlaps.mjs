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
  const firstUse = new Map();
  const lastWrite = new Map();
  operations.forEach(({ op, name, token, accepted }, index) => {
    const key = `${name} ${token}`;
    if (accepted && !firstUse.has(key)) firstUse.set(key, index);
    if (accepted && op === 'write') lastWrite.set(key, index);
  });
  const overlaps = [];
  const lateEntries = [];
  for (const [name, its] of grouped(visits)) {
    const tokens = new Set();
    for (const { token, process } of its) {
      if (tokens.has(token))
        violations.push(`${name}: two entries with the token ${token}, one of ${process}`);
      tokens.add(token);
    }
    its.sort((one, other) => one.from - other.from);
    let inside = [];
    let ended; // of the visits that are over, the one with the largest token
    for (const visit of its) {
      for (const before of inside)
        if (before.to < visit.from && before.token > (ended?.token ?? -1)) ended = before;
      inside = inside.filter(({ to }) => to >= visit.from);
      if (ended && ended.token > visit.token)
        lateEntries.push({ name, stale: visit, newer: ended });
      for (const before of inside) overlaps.push({ name, ...byToken(visit, before) });
      inside.push(visit);
    }
  }
  for (const { name, stale, newer } of overlaps) {
    const used = firstUse.get(`${name} ${newer.token}`);
    const wrote = lastWrite.get(`${name} ${stale.token}`);
    if (used !== undefined && wrote !== undefined && wrote > used)
      violations.push(
        `${name}: two inside, and the store accepts the write of ${stale.process} (${stale.token}) after ${newer.process} (${newer.token})`,
      );
  }
  // A process that runs is told before another one enters: only one that did not run just then may
  // be inside, and it is told soon afterwards.
  const why = ({ stale, newer }) =>
    windows
      .get(stale.process)
      ?.find(
        ({ from, to }) =>
          from <= Math.max(stale.from, newer.from) &&
          to >= newer.from - inaccuracy &&
          (stale.from > newer.from || stale.to <= to + catchingUp),
      )?.why;
  const unexplained = [];
  const byStall = new Set();
  for (const pair of [...overlaps, ...lateEntries]) {
    const reason = why(pair);
    if (reason === 'stalled') byStall.add(pair.stale);
    if (options.protocol.kill && reason) continue;
    const { name, stale, newer } = pair;
    const most = Math.min(stale.to, newer.to) - newer.from;
    unexplained.push(
      `${name}: ${stale.process} (${stale.token}) is inside, ends by '${stale.how}', ${newer.process} (${newer.token}) enters, for ${most} µs`,
    );
  }
  for (const text of unexplained)
    violations.push(
      `${text}: ${options.protocol.kill ? 'it was told too late, and did not pause' : 'this protocol has no lease'}`,
    );
  Object.assign(found, {
    overlaps: new Set(overlaps.map(({ stale }) => stale)).size,
    lateEntries: new Set(lateEntries.map(({ stale }) => stale)).size,
    overlapsByStall: byStall.size,
  });
}

const byToken = (one, other) =>
  one.token < other.token ? { stale: one, newer: other } : { stale: other, newer: one };

function grouped(visits) {
  const groups = new Map();
  for (const visit of visits) {
    const group = groups.get(visit.name);
    if (group) group.push(visit);
    else groups.set(visit.name, [visit]);
  }
  return groups;
}
