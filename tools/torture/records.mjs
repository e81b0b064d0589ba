/**
 * What the logs of a run say, as data: who was inside when, which processes did not run, who voted; and
 * what must hold of these.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The logs of a run, as values. A line that is not understood is a violation. */
export function readRun(folder, { violations }) {
  const options = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  const linesOf = (file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line, index) => {
        const [time, ...words] = line.split(' ');
        if (!/^\d+$/.test(time) || words.length === 0)
          violations.push(`${file}:${index + 1} is no line of a log: ${line.slice(0, 80)}`);
        return { time: Number(time), words };
      });
  const harness = linesOf('harness.log');
  const written = linesOf('entries.log');
  const stored = linesOf('store.log').map(
    ({ words: [op, node, incarnation, name, answer, token, value] }) => ({
      op,
      process: `${node} ${incarnation}`,
      name,
      accepted: answer === 'accepted',
      token: Number(token),
      value: Number(value),
    }),
  );
  const operations = stored.filter(({ op }) => op !== 'tick');
  const ticks = stored
    .filter(({ op }) => op === 'tick')
    .map(({ value: tick, ...rest }) => ({ ...rest, tick }));
  const counters = new Map(
    options.names.map((name) => [
      name,
      Number(readFileSync(join(folder, `counter-${name}`), 'utf8')),
    ]),
  );
  const ended = harness.find(({ words }) => words[0] === 'ended')?.time;
  if (ended === undefined) violations.push('The run has not ended');
  const deaths = deathsOf(harness);
  return {
    options,
    harness,
    written,
    operations,
    ticks,
    counters,
    deaths,
    changes: changesOf(written),
    windows: windowsOf(harness, written, silences(folder, deaths)),
    ...visitsOf(written, deaths, ended ?? Number.POSITIVE_INFINITY, violations),
  };
}

/** When each process was killed, or ended. A kill counts from before its signal was sent. */
function deathsOf(harness) {
  const deaths = new Map();
  for (const { time, words } of harness) {
    const process = `${words[1]} ${words[2]}`;
    if ((words[0] === 'kill' || words[0] === 'exit') && !deaths.has(process))
      deaths.set(process, time);
  }
  return deaths;
}

/**
 * The visits of the critical sections, and the waits for them; `how`: leave, lost, died, or open.
 */
function visitsOf(written, deaths, ended, violations) {
  const visits = [];
  const waits = [];
  const open = new Map();
  const waiting = new Map();
  /** What a process says. */
  const said = {
    wait({ place, time, ...who }) {
      const wait = { ...who, from: time, to: undefined };
      waits.push(wait);
      waiting.set(place, wait);
    },
    enter({ place, time, ...who }, token) {
      const wait = waiting.get(place);
      if (!wait) violations.push(`${place} enters without having waited`);
      else wait.to = time;
      waiting.delete(place);
      if (open.has(place)) violations.push(`${place} enters twice`);
      const visit = { ...who, token: Number(token), from: time, how: 'open' };
      if (Number.isNaN(visit.token)) violations.push(`${place} enters without a fencing token`);
      visits.push(visit);
      open.set(place, visit);
    },
    lost: (line, token) => endVisit(line, token, 'lost'),
    leave(line, token, answer) {
      const visit = endVisit(line, token, 'leave');
      if (!visit) return;
      visit.written = answer;
      open.delete(line.place);
    },
  };
  /** The visit with this token, which ends; undefined where the process is not in it. */
  function endVisit({ place, time }, token, how) {
    const visit = open.get(place);
    if (visit?.token !== Number(token)) {
      const inside = visit?.token ?? 'nothing';
      violations.push(`${place} has ${how} ${token}, but is inside with ${inside}`);
      return undefined;
    }
    visit.to ??= time;
    if (visit.how === 'open') visit.how = how;
    return visit;
  }
  for (const { time, words } of written) {
    const [what, node, incarnation, name, ...rest] = words;
    const process = `${node} ${incarnation}`;
    if (Object.hasOwn(said, what))
      said[what]({ place: `${process} ${name}`, time, process, node, name }, ...rest);
  }
  for (const visit of open.values()) {
    const died = deaths.get(visit.process);
    if (died === undefined)
      violations.push(`${visit.process} is still inside ${visit.name} at the end`);
    if (visit.to === undefined) visit.how = 'died';
    visit.to ??= Math.max(visit.from, died ?? ended);
  }
  return { visits, waits };
}

/** The changes of voters that processes have begun; `how`: changed, unchanged, or open. */
function changesOf(written) {
  const changes = [];
  const open = new Map();
  for (const { time, words } of written) {
    const [what, node, incarnation, name, ...rest] = words;
    const process = `${node} ${incarnation}`;
    const place = `${process} ${name}`;
    if (what === 'changing') {
      const [add, remove] = rest.map(nodesOf);
      const change = { process, name, from: time, add, remove, how: 'open', voters: [] };
      changes.push(change);
      open.set(place, change);
    }
    if (what !== 'changed' && what !== 'unchanged') continue;
    const change = open.get(place);
    if (change) Object.assign(change, { how: what, voters: nodesOf(rest[0]) });
    open.delete(place);
  }
  return changes;
}

/** A list of nodes, as a process writes it. */
const nodesOf = (text = '-') => (text === '-' ? [] : text.split(','));

/**
 * The times in which a process did not run: stopped by the harness, or stalled by its own account.
 */
function windowsOf(harness, written, silent) {
  const windows = silent.map((silence) => ({ ...silence, why: 'stalled' }));
  const stopped = new Map();
  for (const { time, words } of harness) {
    const process = `${words[1]} ${words[2]}`;
    if (words[0] === 'SIGSTOP') stopped.set(process, time);
    if (words[0] === 'SIGCONT' && stopped.has(process)) {
      windows.push({ process, from: stopped.get(process), to: time, why: 'stopped' });
      stopped.delete(process);
    }
  }
  for (const {
    words: [what, node, incarnation, , from, to],
  } of written)
    if (what === 'stall')
      windows.push({
        process: `${node} ${incarnation}`,
        from: Number(from),
        to: Number(to),
        why: 'stalled',
      });
  const byProcess = grouped(windows, ({ process }) => process);
  return new Map([...byProcess].map(([process, its]) => [process, joined(its)]));
}

/** From when the timers of a process ran last to its death, where that is longer than 20 ms. */
function silences(folder, deaths) {
  return [...deaths].flatMap(([process, to]) => {
    const file = join(folder, `ran-${process.replace(' ', '-')}`);
    const from = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    return from > 0 && to - from > 20_000 ? [{ process, from, to }] : [];
  });
}

/**
 * One for those that overlap, or between which the process ran for less than 10 ms; `stops`: how
 * long it was stopped.
 */
function joined(windows) {
  const all = [];
  for (const { from, to, why } of windows.sort((one, other) => one.from - other.from)) {
    if (all.length === 0 || from > all.at(-1).to + 10_000) all.push({ from, to, why, stops: [] });
    const last = all.at(-1);
    last.to = Math.max(last.to, to);
    if (why === 'stopped') {
      last.why = why;
      last.stops.push(to - from);
    }
  }
  return all;
}

/**
 * A change of voters that is done leaves those that were added, and none that was removed. At the
 * end some of the voters that a process names are named by a majority of themselves.
 */
export function checkVoters({ options, written, changes }, found) {
  if (!options.protocol.options?.voters) return;
  const { violations, missing } = found;
  const all = { done: 0, given: 0, cut: 0 };
  for (const { process, name, add, remove, how, voters } of changes) {
    all[{ changed: 'done', unchanged: 'given', open: 'cut' }[how]]++;
    if (how !== 'changed') continue;
    if (add.some((node) => !voters.includes(node)) || remove.some((node) => voters.includes(node)))
      violations.push(
        `${name}: ${process} adds ${add.join(',') || 'none'} and removes ${remove.join(',') || 'none'}, and then ${voters.join(',')} vote`,
      );
  }
  const last = written.filter(({ words }) => words[0] === 'voters').map(({ words }) => words);
  const byName = grouped(last, ([, , , name]) => name);
  for (const name of options.names) {
    if (!changes.some((change) => change.name === name && change.how === 'changed'))
      missing.push(`The voters of ${name} never changed`);
    const named = new Map((byName.get(name) ?? []).map(([, node, , , text]) => [node, text]));
    const isKnown = (text) => {
      const voters = nodesOf(text);
      return voters.filter((node) => named.get(node) === text).length > voters.length / 2;
    };
    if (![...named.values()].some(isKnown))
      violations.push(`${name}: no voters are known to a majority of them at the end`);
  }
  found.changes = all;
}

/**
 * Both in µs: of the times of a stall, and from the end of a pause until the timers that were due
 * have run.
 */
export const inaccuracy = 10_000;
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
