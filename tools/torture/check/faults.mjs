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
  let longest = 0;
  for (const { from } of whole) {
    const first = new Map();
    for (const visit of visits)
      if (visit.from >= from)
        first.set(
          `${visit.node} ${visit.name}`,
          Math.min(visit.from, first.get(`${visit.node} ${visit.name}`) ?? Infinity),
        );
    for (const node of options.nodes)
      for (const name of options.names) {
        const took = ((first.get(`${node} ${name}`) ?? Infinity) - from) / 1000;
        if (took > options.calm)
          violations.push(
            `${node} does not enter ${name} within ${options.calm} ms after the last fault healed`,
          );
        else longest = Math.max(longest, took);
      }
  }
  const waited =
    waits
      .filter(({ to }) => to !== undefined)
      .reduce((most, { from, to }) => Math.max(most, to - from), 0) / 1000;
  Object.assign(found, {
    calms: whole.length,
    longestWaitAfterFaults: Math.round(longest),
    longestWait: Math.round(waited),
  });
}

/** That each kind of fault hit, as seen in the logs of the processes. */
export function checkFaults({ options, harness, written, visits, waits, deaths, windows }, found) {
  const count = {};
  const add = (kind) => {
    count[kind] = (count[kind] ?? 0) + 1;
  };
  const healed = new Map(
    harness
      .filter(({ words }) => words[0] === 'healed')
      .map(({ words: [, id, met] }) => [id, Number(met)]),
  );
  const incarnationAt = new Map();
  for (const { time, words } of harness) {
    if (words[0] === 'process') incarnationAt.set(words[1], words[2]);
    if (words[0] !== 'fault') continue;
    const [, id, kind, victim, name] = words;
    if (victim === 'missed' || healed.get(id) === 0) add('missed');
    else if (!healed.has(id)) found.violations.push(`The fault ${id} (${kind}) has not healed`);
    else if (!kind.startsWith('kill')) add(kind);
    else add(`kill-${placeOf(`${victim} ${incarnationAt.get(victim)}`, name, time)}`);
  }
  /**
   * Where a process was when it was killed: in one of its critical sections, else waiting, else
   * idle.
   */
  function placeOf(process, name, time) {
    const at = deaths.get(process) ?? time;
    const its = (list) =>
      list.filter((item) => item.process === process && (name === '-' || item.name === name));
    if (its(visits).some(({ from, how }) => how === 'died' && from <= at)) return 'inside';
    return its(waits).some(({ to }) => to === undefined) ? 'waiting' : 'idle';
  }
  for (const kind of options.expected)
    if (!count[kind]) found.missing.push(`The fault ${kind} never hit`);
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
    faults: count,
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
 * refused.
 */
function errorsOf(harness, written) {
  const restart =
    harness.find(({ words }) => words[0] === 'restart')?.time ?? Number.POSITIVE_INFINITY;
  const errors = written.filter(({ time, words }) => words[0] === 'error' && time < restart);
  return new Set(
    errors.map(({ words: [, , , , code, what = ''] }) => `${code} ${what.replaceAll('_', ' ')}`),
  );
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
