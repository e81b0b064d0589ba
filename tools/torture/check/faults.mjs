import { grouped } from './grouped.mjs';

/**
 * Everyone who lives and waits enters, where there are no faults: within `calm` milliseconds after
 * the last one healed.
 */
export function checkCalm({ options, harness, visits, waits }, found) {
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
  const firstAfter = (time, place) =>
    (entries.get(place) ?? []).reduce(
      (first, { from }) => (from >= time ? Math.min(first, from) : first),
      Number.POSITIVE_INFINITY,
    );
  const places = options.nodes.flatMap((node) => options.names.map((name) => [node, name]));
  let longest = 0;
  for (const { from } of whole)
    for (const [node, name] of places) {
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
    const its = (list) =>
      list.filter((item) => item.process === process && (name === '-' || item.name === name));
    if (its(visits).some(({ from, how }) => how === 'died' && from <= at)) return 'inside';
    if (its(changes).some(({ how }) => how === 'open')) return 'changing';
    return its(waits).some(({ to }) => to === undefined) ? 'waiting' : 'idle';
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

/** That each kind of fault hit, as seen in the logs of the processes. */
export function checkFaults(run, found) {
  const { options, harness, written, windows } = run;
  const faults = hitsOf(run, found.violations);
  for (const kind of options.expected)
    if (!faults[kind]) found.missing.push(`The fault ${kind} never hit`);
  const told = written.filter(({ words }) => words[0] === 'status' && words[4] === 'down').length;
  const lost = written.filter(({ words }) => words[0] === 'lost').length;
  const stops = [...windows.values()].flat().flatMap((window) => window.stops);
  const short = stops.filter((time) => time < 1000 * options.protocol.lease).length;
  if (short > 0) found.violations.push(`${short} pauses are shorter than the lease`);
  const { sent = 0, lost: dropped = 0 } = options.counts;
  if (options.conditions.loss > 0 && !(dropped > 0.5 * options.conditions.loss * sent))
    found.missing.push(`Of ${sent} messages ${dropped} were lost: fewer than asked for`);
  if (options.hasBroker && told === 0)
    found.missing.push('No process noticed that the broker died');
  for (const text of errorsOf(harness, written))
    found.violations.push(`A process reports: ${text}`);
  for (const failure of options.failures) found.violations.push(failure);
  for (const process of options.survivors)
    found.violations.push(`Process ${process} survives the run`);
  const stalls = [...windows.values()].flat().filter(({ why }) => why === 'stalled').length;
  Object.assign(found, {
    faults,
    downsSeen: told,
    lossesTold: lost,
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
export function checkRefusal({ options, harness, written, visits }, found) {
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
