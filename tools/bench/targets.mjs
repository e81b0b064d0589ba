/** The targets of the project, and whether what was measured meets them. */

const digitsOf = (unit, value) => {
  if (unit === 'MB' || unit.endsWith('a second')) return 0;
  return value < 10 ? 2 : 1;
};

export function numberText(unit, value) {
  const digits = digitsOf(unit, value);
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A median; undefined where a part or a tool is missing. */
export const medianOf = ({ parts }, name, system, tool, unit) =>
  parts
    .find((part) => part.name === name)
    ?.rows.find((row) => row.system === system && row.tool === tool)?.figures[unit]?.[0];

/** `unit` as in the text of a target, behind the number. */
function shownIn(unit, value) {
  const text = numberText(unit === 's' || unit === '×' ? '' : unit, value);
  return unit === 'messages a second' ? text : `${text} ${unit}`;
}

const [two, three, four] = ['N = 3, R = 2', 'N = 3, R = 3', 'N = 4, R = 1'];
const [small, medium, large] = ['1,000', '100,000', '1,000,000'].map((n) => `B3, ring of ${n}`);
const search = (system, tool = 'Conclave') => ['explore', system, tool, 'search, s'];
const simulated = (system, unit = 'messages a second') => ['simulate', system, 'simulate', unit];
const five = (tool, unit) => ['lock', '5 processes', tool, unit];
const stored = 'leasedMajority over tcp, on disk';
const alone = 'alone, entries a second';
const all = 'all, entries a second';
const load = 'A3, 50 nodes under load';
const check = 'conclave check A3 --topology complete:3';
const bare = 'actor.send ÷ ours';
const without = 'an entry without messages';
const trips = 'alone, round trips';

/**
 * What, the limit with its unit, and where it is measured: two places of a ratio. In the order of
 * the parts.
 */
const targets = [
  [`simulate ${small}`, '≥ 1,000,000 messages a second', simulated(small)],
  [`simulate ${medium}`, '≥ 500,000 messages a second', simulated(medium)],
  [`simulate ${large}`, '≥ 300,000 messages a second', simulated(large)],
  [`${medium}: peak memory`, '≤ 300 MB', simulated(medium, 'MB')],
  [`${large}: peak memory`, '≤ 2,000 MB', simulated(large, 'MB')],
  ...[small, load].map((system) => [
    ...[`simulate ${system}: beside bare actor.send`, '≥ 8 ×', simulated(system, bare)],
  ]),
  [`${two}: beside SPIN`, '≤ 1 ×', search(two), search(two, 'SPIN')],
  [`${two}: beside xstate/graph`, '≥ 500 × faster', search(two, 'xstate/graph'), search(two)],
  [`${two}: peak memory`, '≤ 150 MB', ['explore', two, 'Conclave', 'MB']],
  [`${three}: beside SPIN`, '≤ 0.35 ×', search(three), search(three, 'SPIN')],
  [four, '≤ 60 s', search(four)],
  [`${four}: peak memory`, '≤ 8,000 MB', ['explore', four, 'Conclave', 'MB']],
  ['conclave check A3, cold', '≤ 0.5 s', ['cold', 'N = 3, R = 1', check, 'process, s']],
  ...['naimiTrehel', 'raymond'].map((name) => [
    ...[`${name}, ${without}`, '≥ 150,000 a second'],
    five(`${name} over tcp`, 'alone and empty, entries a second'),
  ]),
  [
    ...[`${stored}, keep: alone, beside redis-semaphore`, '≥ 20 ×'],
    ...[five(`${stored}, keep`, alone), five('redis-semaphore', alone)],
  ],
  [
    ...['naimiTrehel over tcp, greedy 50: all, beside redis-semaphore', '≥ 1.00 ×'],
    ...[five('naimiTrehel over tcp, greedy 50', all), five('redis-semaphore', all)],
  ],
  ...['leasedMajority over tcp', 'leasedMajority over nats, on disk'].map((tool) => [
    ...[`${tool}: alone`, '≤ 1.5 round trips', five(tool, trips)],
  ]),
  [
    ...[`${stored}: all, with a journal beside without`, '≥ 0.90 ×'],
    ...[five(`${stored}, with a journal`, all), five(stored, all)],
  ],
];

/** Those that the measured parts and tools decide. */
export const targetsOf = (results) =>
  targets.flatMap(([what, target, ...places]) => {
    const [value, by = 1] = places.map((place) => medianOf(results, ...place) ?? Number.NaN);
    const measured = value / by;
    if (!Number.isFinite(measured)) return [];
    const [, sign, number, unit] = /^(.) ([\d.,]+) (.*?)(?: faster)?$/.exec(target);
    const limit = Number(number.replaceAll(',', ''));
    const isMet = sign === '≥' ? measured >= limit : measured <= limit;
    return [{ what, target, measured: shownIn(unit, measured), isMet }];
  });
