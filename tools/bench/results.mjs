/**
 * What `npm run bench -- --record` has measured, tools/bench/results.json, as text: its page, its
 * tables, the paragraph of the README. A figure is the median, the least and the most of several
 * measurements, by its unit: `search, s`, `MB`, `µs`. Each part says when and where it was
 * measured.
 */
import { relative } from 'node:path/posix';
import { leasedMajority, naimiTrehel, ricartAgrawala } from '@conclave/algorithms';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { table } from '../algorithm/files.mjs';

const titles = {
  steps: 'One step of a node',
  simulate: 'Simulation',
  explore: 'Exploration: Ricart–Agrawala on N nodes with R entries each',
  plain: 'A system of plain functions: two-phase commit of N resource managers',
  cold: 'From command to verdict',
  lock: 'Acquire and release among processes',
  row: 'A lock in a server that is there already',
};

/** What each part measures, and what each ratio is a ratio to. */
const explanations = {
  steps:
    'Warm steps of the same simulated run, the shortest of twelve rounds. The ratio is to `compile(machine)`.',
  simulate:
    'Without subscribers. `actor.send` is bare: the same events, sent to as many actors of the same machine by the same process, without a network.',
  explore:
    'The search begins cold. With Conclave it includes tables, verdicts, traces and XState’s confirmation; Conclave checks three properties, SPIN one. SPIN searches with `-DSAFETY -DNOREDUCE`; its time excludes the compilation by gcc -O3. Each tool finds the same states and transitions. The ratio is to SPIN.',
  plain:
    '`exploreSystem` checks one property, asks the functions twice where that is affordable, and would show a run; the other search only counts. The ratio is to the other search.',
  cold: 'A new process each, with everything that it does before and after the search. `conclave check` explores A3 in any order with all its properties; SPIN’s time is that of `spin -a`, `gcc -O3` and the run, on the reference model of the same size. *Start*: what such a process needs in any case.',
  lock: 'Entries a second of five processes, each of which enters, stays for one turn of its event loop, and leaves. *Alone*: one enters, the others are idle; *cold*: its first entries, in 0.4 s or until one has ended, while the processes connect and their code is not compiled yet; the other figures are taken after 4 s of entries; *empty*: it leaves at once. *All*: all five enter; the waits, and the processes with the least and the most entries, are of that measurement. *Round trip*: a message there and back over the same transport without `reliable`, for `leasedMajority` one to all voters, of whom half answer, for `ricartAgrawala` one to all, who answer, or a command to the same server; *round trips*: the median wait alone in these. Servers and clients have their defaults, with these exceptions: `redis-semaphore` tries for a minute, and Redis has no persistence. An advisory lock of Postgres is not stored either, and ends with its session. etcd is one server, asked over its HTTP gateway; it writes each entry to its disk, and its round trip is a write. `leasedMajority` needs no `reliable`, the others here run over it; *on disk*: `fileStorage`, otherwise nothing is stored; *keep*: the option of a minute. *greedy*: how often in a row a process may enter before its turn. *lockClient*: five clients of three voters, which live in the first three of their processes. `raymond` runs on a star, of which the process that enters alone is the centre. Where an entry needs no message, *alone* measures the turn of the loop. A Redis lock asks one server, and is lost when this server fails; under contention the process that has just left enters again, while others wait for their next retry: see *longest*. The locks here ask a majority or all of the processes, which share the cores of one machine, or hand over a token. The ratio is to `redis-semaphore`, *all*.',
  row: 'As above: entries a second of five processes, `lock({ store })` beside the server’s other locks. *Round trip*: a command to the server; for `lock({ store })`, and for the key of NATS, a write of a row or key by hand. So *round trips* is what the lock adds to one write. Redis has no persistence here; Postgres writes each row to its disk, and an advisory lock nowhere; a key of NATS is in a file that the server syncs now and then. `redis-semaphore` tries for a minute, `redlock` for ever, at one server; all else has its defaults. *Key by hand*: its holder creates and deletes it, and the others watch it. Only `lock({ store })` and the key of NATS have fencing tokens. The ratio is to the first of each server, *all*.',
};

/** The tool that the others of the same system are compared with, and by what. */
const bases = {
  steps: ['compile(machine)', 'µs'],
  explore: ['SPIN', 'search, s'],
  plain: ['JSON.stringify and a Map', 'search, s'],
  cold: ['spin -a, gcc -O3, run', 'process, s'],
  lock: ['redis-semaphore', 'all, entries a second'],
  row: [undefined, 'all, entries a second'],
};

function figureText(unit, figure) {
  if (!figure) return undefined;
  const [median, least, most] = figure.map((value) => numberText(unit, value));
  return figure[1] === figure[2] ? median : `${median} (${least} … ${most})`;
}

function tableOf({ name, rows }) {
  const units = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const sizes = ['messages', 'states', 'transitions'].filter((size) =>
    rows.some((row) => row[size] !== undefined),
  );
  const [base, unit] = bases[name] ?? [];
  const ratioOf = ({ system, figures }) => {
    const other = rows.find((row) => row.system === system && row.tool === (base ?? row.tool))
      ?.figures[unit];
    if (!figures[unit] || !(other?.[0] > 0)) return undefined;
    return `${numberText('', figures[unit][0] / other[0])} ×`;
  };
  return table(
    ['system', 'tool', ...sizes, ...units, ...(unit ? ['ratio'] : [])],
    rows.map((row) => [
      row.system,
      row.tool,
      ...sizes.map((size) => row[size]?.toLocaleString('en')),
      ...units.map((one) => figureText(one, row.figures[one])),
      ...(unit ? [ratioOf(row)] : []),
    ]),
  );
}

function sessionText({ date, machine, load, versions, runs }) {
  const tools = Object.entries(versions).map(([tool, version]) =>
    version.toLowerCase().startsWith(tool) ? version : `${tool} ${version}`,
  );
  const measured =
    runs === 1 ? 'One measurement each.' : `Medians of ${runs}, minimum and maximum in brackets.`;
  const busy = load === undefined ? '' : ` Load average before the first measurement: ${load}.`;
  return `${[date, machine, ...tools].join(', ')}. ${measured}${busy}`;
}

/** The tables of what was measured, with notes, and the targets that it decides. */
export function benchTables(results) {
  const parts = results.parts.map((part) => {
    const notes =
      part.notes.length === 0 ? '' : `\n\n${part.notes.map((note) => `- ${note}`).join('\n')}`;
    const session = sessionText({ ...results, ...part });
    return `## ${titles[part.name] ?? part.name}\n\n${session} ${explanations[part.name] ?? ''}\n\n${tableOf(part)}${notes}\n`;
  });
  const verdicts = targetsOf(results).map(({ what, target, measured, isMet }) => [
    what,
    target,
    measured,
    isMet ? 'met' : 'missed',
  ]);
  const targets = `## Targets\n\n${table(['target', '', 'measured', ''], verdicts)}\n`;
  return [...parts, ...(verdicts.length === 0 ? [] : [targets])].join('\n');
}

/** tools/bench/results.md. */
export const resultsPage = (results) => `# Results

Written by \`npm run bench -- --record\`, which also writes [results.json](results.json). Machines differ and are noisy: compare ratios and medians within a table.

${benchTables(results).trimEnd()}

TLC, the model checker of TLA+, is not among the tools: Debian has no package of it. xstate/graph is measured once where it takes minutes. [history.md](history.md) says why some aims are missed.
`;

/** The text of tools/bench/results.json: a line for each row. */
export function resultsText({ parts, ...session }) {
  const lines = parts.map(({ rows, ...part }) => {
    const head = JSON.stringify(part).slice(0, -1);
    return `${head},"rows":[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}`;
  });
  return `${JSON.stringify(session).slice(0, -1)},"parts":[\n${lines.join(',\n')}\n]}\n`;
}

/** The paragraph about speed, for this page. */
export function performanceText(results, page) {
  const value = (...place) => medianOf(results, ...place);
  const number = (unit, ...place) => numberText(unit, value(...place) ?? Number.NaN);
  const [two, three] = ['N = 3, R = 2', 'N = 3, R = 3'];
  const rowsOf = (name) => results.parts.find((part) => part.name === name)?.rows ?? [];
  const explored = rowsOf('explore').find(({ system }) => system === three);
  const a3 = rowsOf('steps').find(({ system }) => system.startsWith('A3,'))?.system;
  const ring = ['simulate', 'B3, ring of 100,000', 'simulate'];
  const search = (system, tool) => ['explore', system, tool, 'search, s'];
  const times = Math.round(
    value(...search(two, 'xstate/graph')) / value(...search(two, 'Conclave')),
  );
  const check = 'conclave check A3 --topology complete:3';
  const lines = [
    `**Exploration.** ${explored?.states.toLocaleString('en')} states and ${explored?.transitions.toLocaleString('en')} transitions of Ricart–Agrawala take ${number('', ...search(three, 'Conclave'))} s; SPIN takes ${number('', ...search(three, 'SPIN'))} s for the same states.`,
    `**Beside xstate/graph**, the search of a system of 590,664 states is ${times} times as fast.`,
    `**Simulation.** A ring of 100,000 nodes delivers ${number('messages a second', ...ring, 'messages a second')} messages a second, in ${number('MB', ...ring, 'MB')} MB.`,
    `**A step** of Ricart–Agrawala takes ${number('', 'steps', a3, 'compile(machine)', 'µs')} µs compiled; \`actor.send\` takes ${number('', 'steps', a3, 'actor.send', 'µs')} µs.`,
    `**From command to verdict**, \`${check}\` takes ${number('', 'cold', 'N = 3, R = 1', check, 'process, s')} s.`,
  ];
  const known = lines.filter((line) => !/NaN|undefined/.test(line)).map((line) => `- ${line}\n`);
  return `${known.join('')}\n${sessionsText(results)}: [tools/bench/results.md](${linkFrom(page)}). \`npm run bench\` measures it again.`;
}

const linkFrom = (page) => relative(`${page}/..`, 'tools/bench/results.md');

/** When and where each of these was measured. */
function sessionsText(results) {
  const named = { explore: 'exploration', simulate: 'simulation', steps: 'step', cold: 'verdict' };
  const sessions = new Map();
  for (const part of results.parts.filter(({ name }) => Object.hasOwn(named, name))) {
    const text = measuredText({ ...results, ...part });
    sessions.set(text, [...(sessions.get(text) ?? []), named[part.name]]);
  }
  const texts = [...sessions].map(([text, names]) => `${text} (${names.join(', ')})`);
  return texts.length === 1 ? [...sessions.keys()][0] : texts.join('. ');
}

const measuredText = ({ date, machine, runs }) =>
  `Measured on ${date} (${machine}), ${runs === 1 ? 'one measurement each' : `medians of ${runs}`}`;

/** How the chapter on locks calls them, and the protocol by which they are simulated. */
const shownLocks = [
  ['naimiTrehel over tcp', '`naimiTrehel()`', () => naimiTrehel()],
  [
    'naimiTrehel over tcp, greedy k',
    '`naimiTrehel({ greedy: k })`',
    (greedy) => naimiTrehel({ greedy }),
  ],
  ['ricartAgrawala over tcp', '`ricartAgrawala`', () => ricartAgrawala],
  ['leasedMajority over tcp, on disk', '`leasedMajority()`', () => leasedMajority()],
  [
    'leasedMajority over tcp, on disk, keep',
    '`leasedMajority({ keep })`',
    () => leasedMajority({ keep: 10_000 }),
  ],
  [
    'lockClient over tcp, on disk',
    '`lockClient`, three servers',
    () => leasedMajority({ servers: 3 }),
  ],
  ['redis-semaphore', 'Redis, `redis-semaphore`'],
  ['Postgres advisory lock', 'Postgres, advisory lock'],
];

/** Five nodes, or as many clients beside their servers. */
function messagesOf(protocol) {
  const { servers = 0 } = protocol.options ?? {};
  const topology = complete(5 + servers);
  const all = topology.nodes.slice(servers);
  const of = (nodes, entries, think) => {
    const workload = closedLoop({ nodes, entries, think: { kind: 'fixed', ms: think } });
    const conditions = { order: 'any', delay: { kind: 'fixed', ms: 5 } };
    const result = simulate({ protocol, topology, workload, conditions, properties: [] });
    return (totalMessages(result) / result.exclusion.entries.length).toFixed(1);
  };
  return [of(all.slice(-1), 200, 100), of(all, 60, 0)];
}

/** What locks cost, in short, for this page. */
export function lockSpeedText(results, page) {
  const part = results.parts.find(({ name }) => name === 'lock');
  const rows = shownLocks.flatMap(([wanted, name, made]) => {
    const row = part?.rows.find(({ tool }) => tool.replace(/greedy \d+$/, 'greedy k') === wanted);
    if (!row) return [];
    const [, k] = /greedy (\d+)$/.exec(row.tool) ?? [];
    const shown = (unit) => numberText(unit, row.figures[unit][0]);
    const speeds = ['alone, entries a second', 'all, entries a second', 'longest, ms'];
    const messages = made ? messagesOf(made(Number(k))) : ['to a server', 'to a server'];
    return [[k ? `${name}, k = ${k}` : name, ...messages, ...speeds.map(shown)]];
  });
  const head = ['lock', 'messages, alone', 'contended', 'entries a second, alone', 'all five'];
  const session = measuredText({ ...results, ...part });
  return `${table([...head, 'longest wait, ms'], rows)}\n\n${session}: five processes on one machine, over TCP, with a turn of the event loop in each entry; \`leasedMajority\` has its storage on a disk. A simulation of five nodes counts the messages of an entry, over 200 entries of one node, and over 60 entries of each node. [All measurements, and their method](${linkFrom(page)}#acquire-and-release-among-processes).`;
}

// The targets of the project, and whether what was measured meets them.

const digitsOf = (unit, value) => {
  if (unit === 'MB' || unit.endsWith('a second')) return 0;
  return value < 10 ? 2 : 1;
};

function numberText(unit, value) {
  const digits = digitsOf(unit, value);
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A median; undefined where a part or a tool is missing. */
const medianOf = ({ parts }, name, system, tool, unit) =>
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
const ofStore = (server) => `${server}: lock({ store })`;
const inServer = (server, unit) => ['row', server, ofStore(server), unit];
const started = (tool) => ['cold', 'start', tool, 'process, s'];
const bare = 'actor.send ÷ ours';
const without = 'an entry without messages';
const trips = 'alone, round trips';

/**
 * What, the limit with its unit, and where it is measured: two places of a ratio. In the order of
 * the parts.
 */
const targets = [
  [`simulate ${small}`, '≥ 1,000,000 messages a second', simulated(small)],
  [`simulate ${medium}`, '≥ 1,000,000 messages a second', simulated(medium)],
  [`simulate ${large}`, '≥ 300,000 messages a second', simulated(large)],
  [`${medium}: peak memory`, '≤ 300 MB', simulated(medium, 'MB')],
  [`${large}: peak memory`, '≤ 2,000 MB', simulated(large, 'MB')],
  ...[small, load].map((system) => [
    ...[`simulate ${system}: beside bare actor.send`, '≥ 8 ×', simulated(system, bare)],
  ]),
  [`${two}: beside SPIN`, '≤ 1.3 ×', search(two), search(two, 'SPIN')],
  [`${two}: beside xstate/graph`, '≥ 500 × faster', search(two, 'xstate/graph'), search(two)],
  [`${two}: peak memory`, '≤ 150 MB', ['explore', two, 'Conclave', 'MB']],
  [`${three}: beside SPIN`, '≤ 0.45 ×', search(three), search(three, 'SPIN')],
  [four, '≤ 110 s', search(four)],
  [`${four}: peak memory`, '≤ 8,000 MB', ['explore', four, 'Conclave', 'MB']],
  [
    ...['exploreSystem, N = 6: beside JSON.stringify and a Map', '≤ 1.2 ×'],
    ...['exploreSystem', 'JSON.stringify and a Map'].map((tool) => [
      'plain',
      'N = 6',
      tool,
      'search, s',
    ]),
  ],
  ['conclave --version', '≤ 0.15 s', started('conclave --version')],
  [
    ...["import { lock }: beside 'xstate' and 'rxjs'", '≤ 1.5 ×'],
    ...["{ lock } from '@conclave/coordination'", "'xstate'; import 'rxjs'"].map((what) =>
      started(`import ${what}`),
    ),
  ],
  ['conclave check A3, cold', '≤ 0.4 s', ['cold', 'N = 3, R = 1', check, 'process, s']],
  ...['naimiTrehel', 'raymond'].map((name) => [
    ...[`${name}, ${without}`, '≥ 150,000 a second'],
    five(`${name} over tcp`, 'alone and empty, entries a second'),
  ]),
  ...['redis', 'postgres', 'nats'].map((server) => [
    ...[`${ofStore(server)}: alone`, '≤ 1.3 round trips', inServer(server, trips)],
  ]),
  [
    ...[`${ofStore('postgres')}: all, beside an advisory lock`, '≥ 1.00 ×'],
    inServer('postgres', all),
    ['row', 'postgres', 'postgres: advisory lock', all],
  ],
  [
    ...[`${stored}, keep: alone, beside redis-semaphore`, '≥ 20 ×'],
    ...[five(`${stored}, keep`, alone), five('redis-semaphore', alone)],
  ],
  [
    ...['naimiTrehel over tcp, greedy 50: all, beside redis-semaphore', '≥ 1.00 ×'],
    ...[five('naimiTrehel over tcp, greedy 50', all), five('redis-semaphore', all)],
  ],
  [
    ...['naimiTrehel over tcp, greedy 50: all', '≥ 3,200 a second'],
    five('naimiTrehel over tcp, greedy 50', all),
  ],
  ...[
    'leasedMajority over tcp',
    'leasedMajority over nats, on disk',
    'ricartAgrawala over tcp',
  ].map((tool) => [...[`${tool}: alone`, '≤ 1.5 round trips', five(tool, trips)]]),
  ...[alone, all].map((unit) => [
    ...[`${stored}: ${unit.split(',')[0]}, beside etcd alone`, '≥ 1.00 ×'],
    ...[five(stored, unit), five('etcd', alone)],
  ]),
  [
    ...[`${stored}: all, with a journal beside without`, '≥ 0.90 ×'],
    ...[five(`${stored}, with a journal`, all), five(stored, all)],
  ],
];

/** Those that the measured parts and tools decide. */
const targetsOf = (results) =>
  targets.flatMap(([what, target, ...places]) => {
    const [value, by = 1] = places.map((place) => medianOf(results, ...place) ?? Number.NaN);
    const measured = value / by;
    if (!Number.isFinite(measured)) return [];
    const [, sign, number, unit] = /^(.) ([\d.,]+) (.*?)(?: faster)?$/.exec(target);
    const limit = Number(number.replaceAll(',', ''));
    const isMet = sign === '≥' ? measured >= limit : measured <= limit;
    return [{ what, target, measured: shownIn(unit, measured), isMet }];
  });
