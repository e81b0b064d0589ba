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

const inUnit = (unit) => (value) => `${numberText(unit === 's' ? '' : unit, value)} ${unit}`;
const times = (value) => `${numberText('', value)} ×`;

/** At least, or at most, `limit`. A target has two places where it is a ratio. */
const atLeast = (what, target, limit, shown, ...places) => ({
  what,
  target: `≥ ${target}`,
  limit,
  least: true,
  shown,
  places,
});
const atMost = (what, target, limit, shown, ...places) => ({
  what,
  target: `≤ ${target}`,
  limit,
  least: false,
  shown,
  places,
});

const [two, three, four] = ['N = 3, R = 2', 'N = 3, R = 3', 'N = 4, R = 1'];
const search = (system, tool = 'Conclave') => ['explore', system, tool, 'search, s'];
const speed = (system, limit) =>
  atLeast(
    `simulate ${system}`,
    `${limit.toLocaleString('en')} messages a second`,
    limit,
    (value) => numberText('messages a second', value),
    ['simulate', system, 'simulate', 'messages a second'],
  );
const memory = (part, system, tool, limit) =>
  atMost(`${system}: peak memory`, `${limit.toLocaleString('en')} MB`, limit, inUnit('MB'), [
    part,
    system,
    tool,
    'MB',
  ]);
const bare = (system) =>
  atLeast(`simulate ${system}: beside bare actor.send`, '8 ×', 8, times, [
    'simulate',
    system,
    'simulate',
    'actor.send ÷ ours',
  ]);
const besideSpin = (system, limit) =>
  atMost(
    `${system}: beside SPIN`,
    `${limit} ×`,
    limit,
    times,
    search(system),
    search(system, 'SPIN'),
  );
const trip = (tool) => ['link', '2 processes', tool, 'round trip, µs'];
const five = (tool, unit) => ['lock', '5 processes', tool, unit];
const perSecond = (value) => `${numberText('a second', value)} a second`;
const stored = 'leasedMajority over tcp, on disk';
const alone = 'alone, entries a second';
const all = 'all, entries a second';
const [small, medium, large] = ['1,000', '100,000', '1,000,000'].map((n) => `B3, ring of ${n}`);
const check = 'conclave check A3 --topology complete:3';

/** In the order of the parts that they belong to. */
const targets = [
  speed(small, 1_000_000),
  speed(medium, 500_000),
  speed(large, 300_000),
  memory('simulate', medium, 'simulate', 300),
  memory('simulate', large, 'simulate', 2000),
  bare(small),
  bare('A3, 50 nodes under load'),
  besideSpin(two, 1),
  atLeast(
    `${two}: beside xstate/graph`,
    '500 × faster',
    500,
    times,
    search(two, 'xstate/graph'),
    search(two),
  ),
  memory('explore', two, 'Conclave', 150),
  besideSpin(three, 0.35),
  atMost(four, '60 s', 60, inUnit('s'), search(four)),
  memory('explore', four, 'Conclave', 8000),
  atMost('conclave check A3, cold', '0.5 s', 0.5, inUnit('s'), [
    'cold',
    'N = 3, R = 1',
    check,
    'process, s',
  ]),
  atMost(
    'reliable over tcp, beside tcp',
    '1.5 ×',
    1.5,
    times,
    trip('reliable over tcp'),
    trip('tcp'),
  ),
  atMost('reliable over tcp, a message and side', '15 µs', 15, inUnit('µs'), [
    'link',
    '2 processes',
    'reliable over tcp',
    'CPU, µs',
  ]),
  ...['naimiTrehel', 'raymond'].map((name) =>
    atLeast(
      `${name}, an entry without messages`,
      '150,000 a second',
      150_000,
      perSecond,
      five(`${name} over tcp`, 'alone and empty, entries a second'),
    ),
  ),
  atLeast(
    `${stored}, keep: alone, beside redis-semaphore`,
    '20 ×',
    20,
    times,
    five(`${stored}, keep`, alone),
    five('redis-semaphore', alone),
  ),
  atLeast(
    'naimiTrehel over tcp, greedy 50: all, beside redis-semaphore',
    '1.00 ×',
    1,
    times,
    five('naimiTrehel over tcp, greedy 50', all),
    five('redis-semaphore', all),
  ),
  ...['leasedMajority over tcp', 'leasedMajority over nats, on disk'].map((tool) =>
    atMost(
      `${tool}: alone`,
      '1.5 round trips',
      1.5,
      inUnit('round trips'),
      five(tool, 'alone, round trips'),
    ),
  ),
  atLeast(
    `${stored}: all, with a journal beside without`,
    '0.90 ×',
    0.9,
    times,
    five(`${stored}, with a journal`, all),
    five(stored, all),
  ),
  ...['catalogue', 'world of raymond'].map((start) =>
    atMost(`studio: ${start}, cold`, '1,000 ms', 1000, inUnit('ms'), [
      'studio',
      start,
      'opened cold',
      'used, ms',
    ]),
  ),
  ...['A3, complete:20', 'B3, ring:20', 'A7, tree:2:20'].map((system) =>
    atMost(`studio: nine of ten steps of ${system}`, '16 ms', 16, inUnit('ms'), [
      'studio',
      system,
      '60 steps by key',
      'p90, ms',
    ]),
  ),
  atMost('studio: page', '700 kB', 700, inUnit('kB'), [
    'studio',
    'studio.html',
    'size',
    'kB gzipped',
  ]),
];

/** Those that the measured parts and tools decide. */
export const targetsOf = (results) =>
  targets.flatMap(({ what, target, limit, least, shown, places }) => {
    const [value, by = 1] = places.map((place) => medianOf(results, ...place) ?? Number.NaN);
    const measured = value / by;
    if (!Number.isFinite(measured)) return [];
    const isMet = least ? measured >= limit : measured <= limit;
    return [{ what, target, measured: shown(measured), isMet }];
  });
