import type { NodeId, Protocol } from '@conclave/core/protocol';
import {
  type Conditions,
  closedLoop,
  oneShot,
  poisson,
  type SimulationResult,
  simulate,
  totalMessages,
  type Workload,
} from '@conclave/core/simulation';
import { vectorClocks } from '@conclave/core/trace';
import { catalogue } from './catalogue.js';
import { fixed, table } from './generated-table.js';
import { shownOf } from './marks.js';
import type {
  CausalSystem,
  EntryOrder,
  EntryOrders,
  OvertakingSystem,
} from './mutual-exclusion/causal-fairness/entry-order.js';

/** The size of the network on which the table's costs are measured. */
const n = 9;

/** Every node thinks a hundred times as long as a message takes, or not at all. */
const loads: Readonly<Record<'light' | 'heavy', Workload>> = {
  light: poisson({ mean: 100 * n, entries: 20, hold: { kind: 'fixed', ms: 1 } }),
  heavy: closedLoop({
    entries: 20,
    think: { kind: 'fixed', ms: 0 },
    hold: { kind: 'fixed', ms: 1 },
  }),
};

const measuredColumns = [
  'algorithm',
  'messages per entry',
  'light load',
  'heavy load',
  'synchronisation delay',
  'busiest node',
  'overtaken',
  'against happened-before',
  'causal order',
  'overtaking',
];

const provedColumns = [
  'algorithm',
  'network',
  'channels',
  'largest system exhausted in the tests',
  'its states',
  'by `npm run verify`',
  'known-wrong versions refuted',
  '[mutants noticed](../../docs/mutation.md)',
];

const remarkOf = ({ remark }: NonNullable<Protocol['cost']>): string =>
  remark ? `, ${remark}` : '';

/** What the literature says that it costs. */
const formulaOf = ({ cost }: Protocol): string =>
  cost ? `${cost.formula}${remarkOf(cost)}` : 'no cost given';

/** All algorithms, as a Markdown table; its links lead from docs/catalogue.md. */
export const catalogueTable = (): string =>
  table(
    ['id', 'algorithm', 'problem', 'network', 'messages'],
    catalogue.map(({ id, folder, make }) => {
      const { title, problem, topology, cost } = make();
      const messages = cost ? `${cost.formula} per ${cost.per}${remarkOf(cost)}` : 'no cost given';
      const link = `[${title}](../packages/algorithms/src/${folder}/README.md)`;
      return [id, link, problem, topology.name, messages];
    }),
  );

const listed = () =>
  catalogue.map(({ id, folder, make }) => {
    const protocol = make();
    return { id, folder, link: `[${id} ${protocol.title}](src/${folder}/README.md)`, protocol };
  });

const solving = (problem: string) =>
  listed().filter(({ protocol }) => protocol.problem === problem);

/** The locks; C6 is one of them with one more property. */
const locks = () => solving('mutual-exclusion').filter(({ id }) => id !== 'C6');

/**
 * What the mutual-exclusion algorithms cost and how fair they are, measured, as a Markdown table.
 *
 * @param orders docs/entry-order.json, for the last two columns.
 */
export const measuredTable = (orders: EntryOrders): string =>
  table(
    measuredColumns,
    locks().map(({ id, link, protocol }) => {
      const steady = { order: 'fifo', delay: { kind: 'fixed', ms: 1 } } as const;
      const [light, heavy] = [
        run(protocol, loads.light, steady),
        run(protocol, loads.heavy, steady),
      ];
      const order = entryOrder(protocol);
      return [
        link,
        formulaOf(protocol),
        perEntry(light),
        perEntry(heavy),
        fixed(heavy.exclusion.synchronisationDelay, 2),
        busiest(heavy),
        order.overtaken,
        order.againstHappenedBefore,
        causalText(orders[id]),
        overtakingText(orders[id]),
      ];
    }),
  );

const nothing: EntryOrder = { causal: [], overtaking: [] };
const notExplored = 'not explored';

/**
 * Whether explored entries follow the causal order: `yes`, or the length of the shortest run that
 * does not; the same with FIFO, if that differs.
 */
export function causalText({ causal }: EntryOrder = nothing): string {
  const [own] = causal;
  if (!own) return notExplored;
  const steps = shortestAgainst(causal, own.order);
  if (steps === undefined) return 'yes';
  const no = `no, ${steps} steps`;
  if (own.order === 'fifo' || shortestAgainst(causal, 'fifo') !== undefined) return no;
  return `${no}; with FIFO ${causal.some(({ order }) => order === 'fifo') ? 'yes' : notExplored}`;
}

const shortestAgainst = (
  causal: readonly CausalSystem[],
  order: CausalSystem['order'],
): number | undefined =>
  causal.find((system) => system.order === order && system.steps !== undefined)?.steps;

/**
 * `grows` if one node enters more often with each entry that it may make; otherwise how often at
 * most.
 */
export function overtakingText({ overtaking }: EntryOrder = nothing): string {
  const full = overtaking.filter(
    ({ competitors, ofOne }) => competitors === 2 && ofOne.length === mostEntries,
  );
  if (full.length === 0) return notExplored;
  return full.some(grows)
    ? 'grows'
    : String(Math.max(...full.map(({ ofOne }) => ofOne.at(-1) ?? 0)));
}

/** A series with fewer entries of each node was too large to explore: it decides nothing. */
const mostEntries = 4;
const grows = ({ ofOne }: OvertakingSystem): boolean => ofOne.at(-1) !== ofOne.at(-2);

/** How each lock orders entries, explored, as a Markdown table for the page of C6. */
export const entryOrderTable = (orders: EntryOrders): string =>
  table(
    [
      'lock',
      'any order',
      'FIFO',
      'entries of one other, two nodes compete',
      'entries of one other / all others, three compete',
    ],
    locks().map(({ id, protocol, folder }) => {
      const { causal, overtaking } = orders[id] ?? nothing;
      const inOrder = (order: CausalSystem['order']) =>
        causal.filter((system) => system.order === order);
      const pairs = overtaking.filter(({ competitors }) => competitors === 2);
      const more = overtaking.filter(({ competitors }) => competitors === 3);
      return [
        `[${id} ${protocol.title}](${'../'.repeat(2)}${folder}/README.md)`,
        protocol.channels.order === 'fifo' ? 'not allowed' : systemsText(inOrder('any')),
        systemsText(inOrder('fifo')),
        pairs.map(({ network, ofOne }) => `${network}: ${ofOne.join(', ')}`).join('; ') ||
          notExplored,
        more
          .map(
            ({ network, ofOne, ofAll }) =>
              `${network}: ${ofOne.map((most, at) => `${most} / ${ofAll[at]}`).join(', ')}`,
          )
          .join('; ') || notExplored,
      ];
    }),
  );

/** The shortest run against the causal order, or the systems that have none. */
function systemsText(systems: readonly CausalSystem[]): string {
  const text = ({ network, competitors, entries }: CausalSystem) =>
    `${network}, ${competitors} × ${entries}`;
  const against = systems.find(({ steps }) => steps !== undefined);
  if (against) return `**no**: ${text(against)}: ${against.steps} steps`;
  return systems.length === 0
    ? notExplored
    : `yes: ${systems.map((system) => `${text(system)} (${system.states.toLocaleString('en')})`).join('; ')}`;
}

/**
 * What the explorer has shown of all algorithms, as a Markdown table.
 *
 * @param verified the text of docs/verified.md: the larger systems.
 */
export const provedTable = (verified: string): string =>
  table(
    provedColumns,
    listed().map(({ id, link, protocol }) => {
      const { order, loss, duplication, time } = protocol.channels;
      const { largest, mutants, score } = shownOf(id);
      const channels = [
        order === 'fifo' ? 'FIFO' : 'any order',
        loss && 'loss allowed',
        duplication && 'duplication allowed',
        time !== undefined && time !== 'untimed' && 'bounded delays',
      ];
      return [
        link,
        protocol.topology.name,
        channels.filter(Boolean).join(', '),
        largest?.what,
        largest?.states.toLocaleString('en'),
        largestVerified(id, verified),
        mutants,
        score === undefined ? undefined : `${(100 * score).toFixed(1)} %`,
      ];
    }),
  );

/** The size of the networks on which elections are measured. */
const many = 16;

/** What the elections cost, measured, as a Markdown table. */
export const electionTable = (): string =>
  table(
    [
      'algorithm',
      'network',
      'messages',
      'one node starts',
      'all nodes start',
      'message delays, one',
      'message delays, all',
    ],
    solving('election').map(({ link, protocol }) => {
      const [one, all] = [elected(protocol, 1), elected(protocol, many)];
      return [
        link,
        one.topology,
        formulaOf(protocol),
        totalMessages(one),
        totalMessages(all),
        one.virtualMs.toFixed(0),
        all.virtualMs.toFixed(0),
      ];
    }),
  );

/** An election that the first `starters` nodes start, where each message takes 1 ms. */
function elected(protocol: Protocol, starters: number): SimulationResult {
  const topology = protocol.topology.example(many);
  const workload = oneShot({ type: 'elect' }, { nodes: topology.nodes.slice(0, starters) });
  return simulate({
    protocol,
    topology,
    workload,
    conditions: { order: protocol.channels.order, delay: { kind: 'fixed', ms: 1 } },
  });
}

const run = (
  protocol: Protocol,
  workload: Workload,
  conditions: Partial<Conditions>,
  record = false,
): SimulationResult =>
  simulate({ protocol, topology: protocol.topology.example(n), workload, conditions, record });

const perEntry = (result: SimulationResult) =>
  fixed(totalMessages(result) / result.exclusion.entries.length, 2);

/**
 * The messages that the busiest node sends and receives, in times of what a node does on average.
 */
function busiest({ load }: SimulationResult): string | undefined {
  const counts = Object.values(load).map(({ sent, received }) => sent + received);
  return fixed(
    (Math.max(...counts) * counts.length) / counts.reduce((sum, count) => sum + count, 0),
    2,
  );
}

const percent = (part: number, whole: number): string | undefined =>
  whole === 0 ? undefined : `${((100 * part) / whole).toFixed(1)} %`;

/**
 * How entries are ordered under heavy load, where messages take 1 to 9 ms: the share of entries
 * before which a later request was served, and the share before which one was served that had
 * happened after it (Lamport's happened-before, by vector clocks).
 */
function entryOrder(protocol: Protocol): {
  readonly overtaken: string | undefined;
  readonly againstHappenedBefore: string | undefined;
} {
  const delay = { kind: 'uniform', least: 1, most: 9 } as const;
  const { exclusion, trace } = run(
    protocol,
    loads.heavy,
    { order: protocol.channels.order, delay },
    true,
  );
  if (!trace) throw new Error(`${protocol.name}: the run was not recorded`);
  const clocks = vectorClocks(trace);
  const requests = new Map(
    trace.lines.flatMap(({ time, node, event }, index) =>
      event.kind === 'command' && event.call.startsWith('acquire')
        ? [[`${node} ${time}`, { node, clock: clocks[index] ?? {} }] as const]
        : [],
    ),
  );
  const entries = exclusion.entries.map(({ node, requestedAt }) => {
    const request = requests.get(`${node} ${requestedAt}`);
    if (!request)
      throw new Error(`${protocol.name}: ${node} entered without a request at ${requestedAt} ms`);
    return request;
  });
  /** By node: how many of its steps are in the past of some request that was served so far. */
  const past = new Map<NodeId, number>();
  const against = entries.filter(({ node, clock }) => {
    const isPassed = (past.get(node) ?? 0) >= (clock[node] ?? 0);
    for (const [id, steps] of Object.entries(clock))
      past.set(id, Math.max(past.get(id) ?? 0, steps));
    return isPassed;
  });
  return {
    overtaken: percent(exclusion.overtaken, entries.length),
    againstHappenedBefore: percent(against.length, entries.length),
  };
}

/**
 * Of the page's systems by the algorithm `id` in which everything holds, the one with the most
 * states.
 */
function largestVerified(id: string, verified: string): string | undefined {
  const systems = verified.split('\n').flatMap((line) => {
    const [, system = '', options = '', states = '', ...others] = line
      .split('|')
      .map((cell) => cell.trim());
    const holds = system.startsWith(`${id} `) && !others.some((cell) => cell.includes('violated'));
    return holds
      ? [
          {
            what: `${system.replace(/^[^,]*, /, '')}, ${options}`,
            states: Number(states.replaceAll(',', '')),
          },
        ]
      : [];
  });
  const [largest] = systems.sort((a, b) => b.states - a.states);
  return largest && `${largest.what}: ${largest.states.toLocaleString('en')}`;
}
