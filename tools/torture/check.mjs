/**
 * `node tools/torture/check.mjs DIR …`: checks the logs of runs. It knows nothing but the logs;
 * prints what it found as JSON, and ends with code 1 where something is violated or the logs are
 * not complete. A line of a log is a time and `words`: what happened, the node, its incarnation,
 * and more that depends on the first word.
 */
import { pathToFileURL } from 'node:url';
import { linearizable, sequential } from '@conclave/check';
import { checkOverlaps, checkVoters, grouped, inaccuracy, readRun } from './records.mjs';

/**
 * `violations`: what must not be; `missing`: why the run proves less than it should; the rest are
 * measurements.
 */
export function check(folder) {
  const found = { violations: [], missing: [] };
  const run = readRun(folder, found);
  checkStore(run, found);
  checkCounters(run, found);
  checkOverlaps(run, found);
  checkCalm(run, found);
  checkFaults(run, found);
  checkRefusal(run, found);
  checkTicks(run, found);
  checkSpins(run, found);
  checkVoters(run, found);
  return found;
}

/** Lost updates and fencing tokens: the log of the store against what the processes say. */
function checkStore({ operations, counters, visits }, found) {
  const claim = (holds, text) => {
    if (!holds) found.violations.push(text);
  };
  const { cells, owners, writes, refused } = replayed(operations, [...counters.keys()], claim);
  let total = 0;
  for (const [name, { value, entries }] of cells) {
    total += entries;
    const accepted = `${name}: ${entries} writes were accepted`;
    claim(value === entries, `${accepted}, and the store says ${value}`);
    const counter = counters.get(name);
    claim(counter === entries, `${accepted}, and its file says ${counter}`);
  }
  const entered = new Set();
  for (const { process, name, token, written } of visits) {
    const key = `${name} ${token}`;
    entered.add(`${process} ${key}`);
    claim(
      !/^\d+$/.test(written ?? '') || (writes.has(key) && owners.get(key) === process),
      `${name}: ${process} was told that its write with the token ${token} is accepted; the store does not know it`,
    );
  }
  for (const [key, process] of owners)
    claim(entered.has(`${process} ${key}`), `${process} uses the token of ${key} without an entry`);
  claim(total > 0, 'Nothing was counted');
  Object.assign(found, { entries: total, visits: visits.length, staleWritesRefused: refused });
}

/**
 * The operations of the store, replayed. By name: `cells`; by name and token: the process that uses
 * it, and whether it has written.
 */
function replayed(operations, names, claim) {
  const cells = new Map(
    names.map((name) => [name, { value: 0, token: Number.NEGATIVE_INFINITY, entries: 0 }]),
  );
  const owners = new Map();
  const writes = new Set();
  const reads = new Map();
  let refused = 0;
  for (const { op, process, name, accepted, token, value } of operations) {
    const cell = cells.get(name);
    claim(cell, `The store has no counter ${name}`);
    if (!cell) continue;
    const key = `${name} ${token}`;
    const owner = owners.get(key) ?? process;
    claim(owner === process, `${name}: the token ${token} is used by ${owner} and by ${process}`);
    owners.set(key, process);
    const answer = accepted ? 'accepted' : 'refused';
    claim(
      accepted === token >= cell.token,
      `${name}: the store has ${answer} ${token} after ${cell.token}`,
    );
    if (!accepted) {
      refused += op === 'write' ? 1 : 0;
      continue;
    }
    cell.token = token;
    if (op === 'read') {
      reads.set(key, value);
      continue;
    }
    const { value: last } = cell;
    claim(
      value === last + 1,
      `${name}: an update is lost: ${process} writes ${value} after ${last}`,
    );
    const read = reads.get(key);
    claim(read === value - 1, `${name}: ${process} writes ${value}, but has read ${read}`);
    claim(!writes.has(key), `${name}: two writes with the token ${token}`);
    writes.add(key);
    cell.value = value;
    cell.entries++;
  }
  return { cells, owners, writes, refused };
}

/**
 * What the processes themselves say of the counters, without the log of the store: each entry adds one
 * between its first and its last line, and all are in one order.
 */
function checkCounters({ visits }, found) {
  for (const [name, visitsOfName] of grouped(visits, (visit) => visit.name)) {
    const history = visitsOfName
      .filter(({ written }) => written === undefined || /^\d+$/.test(written))
      .map(({ process, from, to, written }) => ({
        process,
        input: { type: 'add' },
        start: from,
        ...(written !== undefined && { output: Number(written), end: to }),
      }));
    const { verdict, text } = linearizable(history, sequential.counter());
    if (verdict === 'violated') found.violations.push(`${name} as a counter: ${text}`);
    if (verdict === 'incomplete') found.missing.push(`${name} as a counter: ${text}`);
  }
}

/**
 * A process whose thread was busy knows at once whether it still has the lock: not after a longer
 * time than its limit, and not once another process has entered.
 */
function checkSpins({ options, written, visits }, found) {
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
        visit.name === name && visit.token > Number(token) && visit.from < time - inaccuracy, // it writes after it has looked
    );
    if (newer)
      found.violations.push(`${who} says that it has the lock, and ${newer.process} has entered`);
  }
  // on a busy machine some are lost
  if (spins.kept === 0 && spins.lost >= 5)
    found.missing.push('No process has kept the lock while it was busy');
  found.spins = spins;
}

/**
 * No tick of a job is done twice. None is missing between the first and the last but those that a
 * fault has cut short: its process has died in it, or has dropped it when it lost the lock, or was
 * refused by the store; or the next leader says so.
 */
function checkTicks({ options, written, ticks, deaths }, found) {
  if (options.jobs.length === 0) return;
  const { violations } = found;
  const totals = { done: 0, cut: 0, refused: 0 };
  const byName = grouped(ticks, ({ name }) => name);
  const cut = cutShort({ written, ticks, deaths });
  for (const name of options.jobs) {
    const ticksOfJob = byName.get(name) ?? [];
    const done = ticksOfJob.filter(({ accepted }) => accepted).map(({ tick }) => tick);
    if (done.length === 0) violations.push(`The job ${name} never ran`);
    const known = new Set();
    for (const tick of done) {
      if (known.has(tick)) violations.push(`${name}: the tick ${tick} is done twice`);
      known.add(tick);
    }
    const missing = dueFrom(done).filter((tick) => !known.has(tick));
    for (const tick of missing)
      if (!cut.has(`${name} ${tick}`)) violations.push(`${name}: the tick ${tick} is lost`);
    totals.done += done.length;
    totals.cut += missing.length;
    totals.refused += ticksOfJob.length - done.length;
  }
  found.ticks = totals;
}

/** The ticks that a fault has cut short, as name and tick. */
function cutShort({ written, ticks, deaths }) {
  const cut = new Set(
    ticks.filter(({ accepted }) => !accepted).map(({ name, tick }) => `${name} ${tick}`),
  );
  const lastBegun = new Map(); // by process and name
  for (const { words } of written) {
    const [what, node, incarnation, name, , tick] = words;
    if (what === 'interrupted' || what === 'dropped') cut.add(`${name} ${tick}`);
    if (what === 'began') lastBegun.set(`${node} ${incarnation} ${name}`, { name, tick });
  }
  for (const [key, { name, tick }] of lastBegun)
    if (deaths.has(key.split(' ', 2).join(' '))) cut.add(`${name} ${tick}`);
  return cut;
}

/** The ticks that are due from the first to the last, at the least distance of two of them. */
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

/**
 * Everyone who lives and waits enters, where there are no faults: within `calm` milliseconds after
 * the last one healed.
 */
function checkCalm({ options, harness, visits, waits }, found) {
  const { violations } = found;
  const calms = [];
  for (const { time, words } of harness) {
    if (words[0] === 'calm') calms.push({ from: time, to: undefined });
    if (words[0] === 'calmed') calms.at(-1).to = time;
  }
  const whole = calms.filter(({ to }) => to !== undefined);
  if (whole.length < 2)
    violations.push('No time without faults: whether everyone enters is unknown');
  const begun = harness.find(({ words }) => words[0] === 'begun')?.time;
  if (begun === undefined || begun > whole[0]?.from)
    violations.push('Whether all had begun before the first time without faults is unknown');
  const entries = grouped(visits, ({ node, name }) => `${node} ${name}`);
  const firstAfter = (time, key) =>
    (entries.get(key) ?? []).reduce(
      (first, { from }) => (from >= time ? Math.min(first, from) : first),
      Number.POSITIVE_INFINITY,
    );
  const all = options.nodes.flatMap((node) => options.names.map((name) => [node, name]));
  let longest = 0;
  for (const { from } of whole)
    for (const [node, name] of all) {
      const took = (firstAfter(from, `${node} ${name}`) - from) / 1000;
      if (took > options.calm)
        violations.push(
          `${node} does not enter ${name} within ${options.calm} ms after the last fault healed`,
        );
      else longest = Math.max(longest, took);
    }
  const waited = waits.reduce((most, { from, to = from }) => Math.max(most, to - from), 0);
  Object.assign(found, {
    calms: whole.length,
    longestWaitAfterFaults: Math.round(longest),
    longestWait: Math.round(waited / 1000),
  });
}

/** How often each kind of fault hit; a kill by where its process was. */
function hitsOf({ options, harness, visits, waits, changes, deaths }, violations) {
  const { servers } = options.protocol;
  const hits = {};
  const add = (kind) => {
    hits[kind] = (hits[kind] ?? 0) + 1;
  };
  const healed = new Map(
    harness
      .filter(({ words }) => words[0] === 'healed')
      .map(({ words: [, id, met] }) => [id, Number(met)]),
  );
  const incarnationAt = new Map();
  /** In one of its critical sections, else in a change of voters, else waiting, else idle. */
  const placeOf = (process, name, time) => {
    const at = deaths.get(process) ?? time;
    const of = (list) =>
      list.filter((item) => item.process === process && (name === '-' || item.name === name));
    if (of(visits).some(({ from, how }) => how === 'died' && from <= at)) return 'inside';
    if (of(changes).some(({ how }) => how === 'open')) return 'changing';
    return of(waits).some(({ to }) => to === undefined) ? 'waiting' : 'idle';
  };
  for (const { time, words } of harness) {
    const [what, id, kind, victim, name] = words;
    if (what === 'process') incarnationAt.set(id, kind);
    if (what !== 'fault') continue;
    if (victim === 'missed' || healed.get(id) === 0) add('missed');
    else if (!healed.has(id)) violations.push(`The fault ${id} (${kind}) has not healed`);
    else if (!kind.startsWith('kill')) add(kind);
    else {
      add(`kill-${placeOf(`${victim} ${incarnationAt.get(victim)}`, name, time)}`);
      if (servers) add(servers.includes(victim) ? 'kill-server' : 'kill-client');
    }
  }
  return hits;
}

/** That each kind of fault hit, as the logs of the processes show it. */
function checkFaults(run, found) {
  const { options, harness, written, windows } = run;
  const faults = hitsOf(run, found.violations);
  for (const kind of options.expected)
    if (!faults[kind]) found.missing.push(`The fault ${kind} never hit`);
  const downs = written.filter(({ words }) => words[0] === 'status' && words[4] === 'down').length;
  const losses = written.filter(({ words }) => words[0] === 'lost').length;
  const stops = [...windows.values()].flat().flatMap((window) => window.stops);
  const short = stops.filter((time) => time < 1000 * options.protocol.lease).length;
  if (short > 0) found.violations.push(`${short} pauses are shorter than the lease`);
  const { sent = 0, lost: dropped = 0 } = options.counts;
  if (options.conditions.loss > 0 && !(dropped > 0.5 * options.conditions.loss * sent))
    found.missing.push(`Of ${sent} messages ${dropped} were lost: fewer than asked for`);
  if (options.hasBroker && downs === 0)
    found.missing.push('No process noticed that the broker died');
  for (const text of errorsOf(harness, written))
    found.violations.push(`A process reports: ${text}`);
  for (const failure of options.failures) found.violations.push(failure);
  for (const process of options.survivors)
    found.violations.push(`Process ${process} survives the run`);
  const stalls = [...windows.values()].flat().filter(({ why }) => why === 'stalled').length;
  Object.assign(found, {
    faults,
    downsSeen: downs,
    lossesTold: losses,
    stops: stops.length,
    stalls,
    messages: sent,
    messagesLost: dropped,
  });
}

/**
 * The errors that the processes report, each once, but for those of a restart that is to be
 * refused, and for whom a process waits, whose peers may be down: that it enters after that is
 * checked.
 */
function errorsOf(harness, written) {
  const restart =
    harness.find(({ words }) => words[0] === 'restart')?.time ?? Number.POSITIVE_INFINITY;
  const errors = written.filter(({ time, words }) => words[0] === 'error' && time < restart);
  const texts = errors.map(
    ({ words: [, , , , code, what = ''] }) => `${code} ${what.replaceAll('_', ' ')}`,
  );
  return new Set(texts.filter((text) => !/^timed-out Node \S+ is not admitted after /.test(text)));
}

/**
 * A process that comes back, and whose lock does not tolerate it, is refused: it says so, a peer
 * says so, and it enters nowhere.
 */
function checkRefusal({ options, harness, written, visits }, found) {
  if (options.protocol.kill) return;
  const restart = harness.find(({ words }) => words[0] === 'restart');
  if (!restart) {
    found.missing.push('No process came back: whether it is refused is unknown');
    return;
  }
  const [, node, incarnation] = restart.words;
  const refused = written.filter(
    ({ time, words }) =>
      time >= restart.time && /^(error|failed)$/.test(words[0]) && words[4] === 'refused',
  );
  if (!refused.some(({ words }) => words[1] === node))
    found.violations.push(`${node} comes back, and does not say that it is refused`);
  if (!refused.some(({ words }) => words[1] !== node))
    found.violations.push(`${node} comes back, and no peer says that it refuses it`);
  if (visits.some(({ process }) => process === `${node} ${incarnation}`))
    found.violations.push(`${node} comes back, and enters`);
  found.refusals = refused.length;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const found = process.argv.slice(2).map(check);
  console.log(JSON.stringify(found, null, 2));
  process.exitCode = found.some(({ violations, missing }) => violations.length + missing.length > 0)
    ? 1
    : 0;
}
