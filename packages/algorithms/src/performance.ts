/**
 * What `npm run bench -- --record` has measured, tools/bench/results.json, as text: its page, its tables,
 * the paragraph of the README.
 */
import { table } from './generated-table.js';

/** The median, and the extremes, of several measurements. */
export interface Figure {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface BenchRow {
  readonly system: string;
  readonly tool: string;
  readonly states?: number;
  readonly transitions?: number;
  readonly messages?: number;
  /** By their units: `search, s`, `MB`, `µs`. */
  readonly figures: Readonly<Record<string, Figure>>;
}

interface Session {
  /** Year, month and day. */
  readonly date: string;
  readonly machine: string;
  /** The load average before the first measurement: what else the machine had to do. */
  readonly load?: number;
  readonly versions: Readonly<Record<string, string>>;
  /** How many measurements a median is of. */
  readonly runs: number;
}

/** A part that was measured in another session than the whole says so itself. */
export interface BenchPart extends Partial<Session> {
  readonly name: string;
  readonly rows: readonly BenchRow[];
  readonly notes: readonly string[];
}

export interface BenchResults extends Session {
  readonly parts: readonly BenchPart[];
}

const titles: Readonly<Record<string, string>> = {
  steps: 'One step of a node',
  simulate: 'Simulation',
  explore: 'Exploration: Ricart–Agrawala on N nodes with R entries each',
  cold: 'From command to verdict',
  lock: 'Acquire and release among processes',
  studio: 'The page of the studio',
};

/** What each part measures, and what each ratio is a ratio to. */
const explanations: Readonly<Record<string, string>> = {
  steps:
    'Warm steps of the same simulated run, the shortest of twelve rounds. The ratio is to `compile(machine)`.',
  simulate:
    'Without subscribers. `actor.send` is bare: the same events, sent to as many actors of the same machine by the same process, without a network.',
  explore:
    'The search begins cold. With Conclave it includes tables, verdicts, traces and whatever XState confirms; three properties are checked, by SPIN and Rumur one. SPIN searches with `-DSAFETY -DNOREDUCE`, Rumur without symmetry; both were compiled before by gcc -O3, which is not counted. Each tool finds the same states and transitions. The ratio is to SPIN.',
  cold: 'A new process each, with everything that it does before and after the search. `conclave check` explores A3 in any order with all its properties; SPIN’s time is that of `spin -a`, `gcc -O3` and the run, on the reference model of the same size.',
  lock: 'Wait for the lock, and entries a second, of processes that enter and leave at once; the critical section is empty. Alone: the others are idle. *Least / most* compares the process with the fewest entries to that with the most. *Round trip*: a message there and back over the same transport or a command to the same server, and *round trips*: the median wait in these. Redis locks and `redlock` run with their defaults, `redlock` with any number of retries, on one server, without persistence. `leasedMajority` over NATS, Redis and TCP needs no `reliable`, `ricartAgrawala` runs over it; *on disk*: `fileStorage`, otherwise nothing is stored. A Redis lock asks one server, which forgets it when it fails, and under contention the process that has just left enters again, while others wait for their next retry: see *longest*. The locks here ask a majority or all of the processes, which share the cores of one machine, and hand the lock to the process that waits: each entry is a hand-over between processes. The ratio is to `redis-semaphore`.',
  studio:
    'In Chromium, 1280 × 800, from disk, each time in a new browser. *Painted*: from the navigation to the first frame with the list of protocols or with the world; *used*: until a click on a protocol has opened it, or a key has taken a step. A step lasts from the key until every view of the world is drawn and laid out, without the painting and without the space-time diagram, which follows after it: median, 90th percentile and longest of 60, which press among the first nine actions. *Model alone*: the mean for the same run of `Worlds.next` and `actions`. No other tool of this kind opens from disk.',
};

/** The tool that the others of the same system are compared with. */
const bases: Readonly<Record<string, string>> = {
  steps: 'compile(machine)',
  explore: 'SPIN',
  cold: 'spin -a, gcc -O3, run',
  lock: 'redis-semaphore',
};
const compared: Readonly<Record<string, string>> = {
  steps: 'µs',
  explore: 'search, s',
  cold: 'process, s',
  lock: 'entries a second',
};

const digitsOf = (unit: string, value: number): number => {
  if (unit === 'MB' || unit.endsWith('a second')) return 0;
  return value < 10 ? 2 : 1;
};

const numberText = (unit: string, value: number): string => {
  const digits = digitsOf(unit, value);
  return value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
};

function figureText(unit: string, figure: Figure | undefined): string | undefined {
  if (!figure) return undefined;
  const { median, least, most } = figure;
  const spread = least === most ? '' : ` (${numberText(unit, least)} … ${numberText(unit, most)})`;
  return numberText(unit, median) + spread;
}

function tableOf({ name, rows }: BenchPart): string {
  const units = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const sizes = (['messages', 'states', 'transitions'] as const).filter((size) =>
    rows.some((row) => row[size] !== undefined),
  );
  const [base, unit] = [bases[name], compared[name]];
  const ratioOf = ({ system, figures }: BenchRow): string | undefined => {
    const other = rows.find((row) => row.system === system && row.tool === base)?.figures[
      unit ?? ''
    ];
    const own = figures[unit ?? ''];
    return own && other && other.median > 0
      ? `${numberText('', own.median / other.median)} ×`
      : undefined;
  };
  const head = ['system', 'tool', ...sizes, ...units, ...(base ? ['ratio'] : [])];
  return table(
    head,
    rows.map((row) => [
      row.system,
      row.tool,
      ...sizes.map((size) => row[size]?.toLocaleString('en')),
      ...units.map((one) => figureText(one, row.figures[one])),
      ...(base ? [ratioOf(row)] : []),
    ]),
  );
}

/** A target of the project, and what was measured; undefined where a part or a tool is missing. */
export interface Target {
  readonly what: string;
  readonly target: string;
  readonly measured: string | undefined;
  readonly isMet: boolean | undefined;
}

const [two, three, four] = ['N = 3, R = 2', 'N = 3, R = 3', 'N = 4, R = 1'];

/** The targets, in the order of the parts that they belong to. */
export function targetsOf(results: BenchResults): readonly Target[] {
  const value = (part: string, system: string, tool: string, unit: string): number | undefined =>
    results.parts
      .find(({ name }) => name === part)
      ?.rows.find((row) => row.system === system && row.tool === tool)?.figures[unit]?.median;
  const target = (
    what: string,
    text: string,
    measured: number | undefined,
    least: boolean,
    limit: number,
    show: (value: number) => string,
  ) => ({
    ...{ what, target: `${least ? '≥' : '≤'} ${text}` },
    measured: measured === undefined ? undefined : show(measured),
    isMet: measured === undefined ? undefined : least ? measured >= limit : measured <= limit,
  });
  const ratio = (one: number | undefined, other: number | undefined) =>
    one === undefined || !other ? undefined : one / other;
  const times = (value: number) => `${numberText('', value)} ×`;
  const search = (system: string, tool: string) => value('explore', system, tool, 'search, s');
  const ours = (system: string) => search(system, 'Conclave');
  const whole = (unit: string) => (value: number) =>
    `${numberText(unit === 's' ? '' : unit, value)} ${unit}`;
  const speed = (system: string, limit: number) =>
    target(
      `simulate ${system}`,
      `${limit.toLocaleString('en')} messages a second`,
      value('simulate', system, 'simulate', 'messages a second'),
      true,
      limit,
      (n) => numberText('messages a second', n),
    );
  const memory = (part: string, system: string, tool: string, limit: number) =>
    target(
      `${system}: peak memory`,
      `${limit.toLocaleString('en')} MB`,
      value(part, system, tool, 'MB'),
      false,
      limit,
      whole('MB'),
    );
  const versusSpin = (system: string, limit: number) =>
    target(
      `${system}: beside SPIN`,
      `${limit} ×`,
      ratio(ours(system), search(system, 'SPIN')),
      false,
      limit,
      times,
    );
  const graph = ratio(search(two, 'xstate/graph'), ours(two));
  const bare = (system: string) =>
    target(
      `simulate ${system}: beside bare actor.send`,
      '8 ×',
      value('simulate', system, 'simulate', 'actor.send ÷ ours'),
      true,
      8,
      times,
    );
  const rings = ['1,000', '100,000', '1,000,000'].map((size) => `B3, ring of ${size}`) as [
    string,
    string,
    string,
  ];
  return [
    ...rings.map((ring, index) => speed(ring, [1_000_000, 500_000, 300_000][index] ?? 0)),
    memory('simulate', rings[1], 'simulate', 300),
    memory('simulate', rings[2], 'simulate', 2000),
    bare(rings[0]),
    bare('A3, 50 nodes under load'),
    versusSpin(two, 1),
    target(`${two}: beside xstate/graph`, '500 × faster', graph, true, 500, times),
    memory('explore', two, 'Conclave', 150),
    versusSpin(three, 0.35),
    target(four, '60 s', ours(four), false, 60, whole('s')),
    memory('explore', four, 'Conclave', 8000),
    target(
      'conclave check A3, cold',
      '0.5 s',
      value('cold', 'N = 3, R = 1', 'conclave check A3 --topology complete:3', 'process, s'),
      false,
      0.5,
      whole('s'),
    ),
    ...['catalogue', 'world of raymond'].map((start) =>
      target(
        `studio: ${start}, cold`,
        '1,000 ms',
        value('studio', start, 'opened cold', 'used, ms'),
        false,
        1000,
        whole('ms'),
      ),
    ),
    ...['A3, complete:20', 'B3, ring:20', 'A7, tree:2:20'].map((system) =>
      target(
        `studio: nine of ten steps of ${system}`,
        '16 ms',
        value('studio', system, '60 steps by key', 'p90, ms'),
        false,
        16,
        whole('ms'),
      ),
    ),
    target(
      'studio: page',
      '600 kB',
      value('studio', 'studio.html', 'size', 'kB gzipped'),
      false,
      600,
      whole('kB'),
    ),
  ];
}

function sessionText({ date, machine, load, versions, runs }: Session): string {
  const tools = Object.entries(versions).map(([tool, version]) =>
    version.toLowerCase().startsWith(tool) ? version : `${tool} ${version}`,
  );
  const measured =
    runs === 1 ? 'One measurement each.' : `Medians of ${runs}, minimum and maximum in brackets.`;
  const busy = load === undefined ? '' : ` Load average before the first measurement: ${load}.`;
  return `${[date, machine, ...tools].join(', ')}. ${measured}${busy}`;
}

/** The tables of what was measured, with notes, and the targets that it decides. */
export function benchTables(results: BenchResults): string {
  const whole = sessionText(results);
  const parts = results.parts.map((part) => {
    const notes =
      part.notes.length === 0 ? '' : `\n\n${part.notes.map((note) => `- ${note}`).join('\n')}`;
    const own = sessionText({ ...results, ...part });
    const session = own === whole ? '' : `${own} `;
    return `## ${titles[part.name] ?? part.name}\n\n${session}${explanations[part.name] ?? ''}\n\n${tableOf(part)}${notes}\n`;
  });
  const decided = targetsOf(results).filter(({ measured }) => measured !== undefined);
  const verdicts = decided.map(({ what, target, measured, isMet }) => [
    what,
    target,
    measured,
    isMet ? 'met' : 'missed',
  ]);
  return [
    `${whole}\n`,
    ...parts,
    ...(verdicts.length === 0
      ? []
      : [`## Targets\n\n${table(['target', '', 'measured', ''], verdicts)}\n`]),
  ].join('\n');
}

/** tools/bench/results.md. */
export const resultsPage = (results: BenchResults): string =>
  [
    '# Results',
    'Written by `npm run bench -- --record`, which also writes [results.json](results.json). Machines differ and are noisy: compare ratios and medians within a table.',
    benchTables(results).trimEnd(),
    'TLC, the model checker of TLA+, is not among the tools: Debian has no package of it. xstate/graph is measured once where it takes minutes. [history.md](history.md) says what earlier versions measured, and what helped.',
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');

/** The paragraph of the README. */
export function performanceText(results: BenchResults): string {
  const part = (name: string) => results.parts.find((one) => one.name === name);
  const figure = (name: string, system: string, tool: string, unit: string) =>
    part(name)?.rows.find((row) => row.system === system && row.tool === tool)?.figures[unit]
      ?.median;
  const say = (
    text: (...values: readonly number[]) => string,
    ...values: readonly (number | undefined)[]
  ): readonly string[] => {
    const known = values.filter((value) => value !== undefined);
    return known.length === values.length ? [text(...known)] : [];
  };
  const explored = part('explore')?.rows.find(({ system }) => system === three);
  const lines = [
    ...say(
      (ours = 0, spin = 0) =>
        `- **Exploration.** ${explored?.states?.toLocaleString('en')} states and ${explored?.transitions?.toLocaleString('en')} transitions of Ricart–Agrawala take ${numberText('', ours)} s; SPIN takes ${numberText('', spin)} s for the same states.`,
      figure('explore', three, 'Conclave', 'search, s'),
      figure('explore', three, 'SPIN', 'search, s'),
    ),
    ...say(
      (graph = 0, ours = 1) =>
        `- **Beside xstate/graph**, the search of a system of 590,664 states is ${Math.round(graph / ours)} times as fast.`,
      figure('explore', two, 'xstate/graph', 'search, s'),
      figure('explore', two, 'Conclave', 'search, s'),
    ),
    ...say(
      (rate = 0, memory = 0) =>
        `- **Simulation.** A ring of 100,000 nodes delivers ${numberText('messages a second', rate)} messages a second, in ${numberText('MB', memory)} MB.`,
      figure('simulate', 'B3, ring of 100,000', 'simulate', 'messages a second'),
      figure('simulate', 'B3, ring of 100,000', 'simulate', 'MB'),
    ),
    ...say(
      (compiled = 0, sent = 0) =>
        `- **A step** of Ricart–Agrawala takes ${numberText('', compiled)} µs compiled; \`actor.send\` takes ${numberText('', sent)} µs.`,
      ...['compile(machine)', 'actor.send'].map((tool) =>
        figure('steps', stepsOfA3(part('steps')), tool, 'µs'),
      ),
    ),
    ...say(
      (seconds = 0) =>
        `- **From command to verdict**, \`conclave check A3 --topology complete:3\` takes ${numberText('', seconds)} s.`,
      figure('cold', 'N = 3, R = 1', 'conclave check A3 --topology complete:3', 'process, s'),
    ),
  ];
  return `${lines.join('\n')}\n\nMeasured on ${results.date} (${results.machine}), ${results.runs === 1 ? 'one measurement each' : `medians of ${results.runs}`}: [tools/bench/results.md](tools/bench/results.md). \`npm run bench\` measures it again.`;
}

const stepsOfA3 = (steps: BenchPart | undefined) =>
  steps?.rows.find(({ system }) => system.startsWith('A3,'))?.system ?? '';
