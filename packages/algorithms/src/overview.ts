import type { Protocol } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages, type Workload } from '@conclave/core/simulation';
import { catalogue, type Entry } from './catalogue.js';
import { shownOf } from './marks.js';

/** The size of the network on which the table's costs are measured. */
const n = 9;

/** Every node thinks a hundred times as long as a message takes, or not at all. */
const loads: Readonly<Record<'light' | 'heavy', Workload>> = {
  light: poisson({ mean: 100 * n, entries: 20, hold: { kind: 'fixed', ms: 1 } }),
  heavy: closedLoop({ entries: 20, think: { kind: 'fixed', ms: 0 }, hold: { kind: 'fixed', ms: 1 } }),
};

const columns = [
  'algorithm',
  'network',
  'channels',
  'messages per entry',
  'light load',
  'heavy load',
  'synchronisation delay',
  'largest system exhausted in the tests',
  'its states',
  'by `npm run verify`',
  'known-wrong versions refuted',
  '[mutants noticed](../../docs/mutation.md)',
];

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

/** All algorithms, as a Markdown table; its links lead from the project's first page. */
export const catalogueTable = (): string =>
  table(
    ['id', 'algorithm', 'problem', 'network', 'messages'],
    catalogue.map(({ id, folder, make }) => {
      const { title, problem, topology, cost } = make();
      const link = `[${title}](packages/algorithms/src/${folder}/README.md)`;
      return [id, link, problem, topology.name, cost ? `${cost.formula} per ${cost.per}` : ''];
    }),
  );

/**
 * The mutual-exclusion algorithms side by side, as a Markdown table.
 *
 * @param verified the text of docs/verified.md: the larger systems.
 */
export function overview(verified: string): string {
  const rows = catalogue.flatMap((entry) => {
    const protocol = entry.make();
    return protocol.problem === 'mutual-exclusion' ? [cells(entry, protocol, verified)] : [];
  });
  return table(columns, rows);
}

function cells({ id, folder }: Entry, protocol: Protocol, verified: string): readonly (string | number)[] {
  const { order, loss, duplication, time } = protocol.channels;
  const [light, heavy] = [measured(protocol, loads.light), measured(protocol, loads.heavy)];
  const { largest, mutants, score } = shownOf(id);
  return [
    `[${id} ${protocol.title}](src/${folder}/README.md)`,
    protocol.topology.name,
    [
      order === 'fifo' ? 'FIFO' : 'any order',
      loss && 'loss allowed',
      duplication && 'doubling allowed',
      time === 'bounded' && 'bounded time',
    ]
      .filter(Boolean)
      .join(', '),
    protocol.cost?.formula ?? '',
    light.messages,
    heavy.messages,
    heavy.delay,
    largest.what,
    largest.states.toLocaleString('en'),
    largestVerified(id, verified),
    mutants,
    `${(100 * score).toFixed(1)} %`,
  ];
}

/** What a run on `n` nodes costs where every message takes 1 ms: messages per entry, and how many messages' time from leaving to entry. */
function measured(protocol: Protocol, workload: Workload): { readonly messages: string; readonly delay: string } {
  const topology = protocol.topology.example(n);
  const result = simulate({ protocol, topology, workload, conditions: { order: 'fifo', delay: { kind: 'fixed', ms: 1 } } });
  const { entries, synchronisationDelay } = result.exclusion;
  return { messages: (totalMessages(result) / entries.length).toFixed(2), delay: synchronisationDelay?.toFixed(2) ?? '' };
}

/** Of the page's systems by the algorithm `id` in which everything holds, the one with the most states. */
function largestVerified(id: string, verified: string): string {
  const systems = verified.split('\n').flatMap((line) => {
    const [, system = '', options = '', states = '', ...others] = line.split('|').map((cell) => cell.trim());
    const holds = system.startsWith(`${id} `) && !others.some((cell) => cell.includes('violated'));
    return holds ? [{ what: `${system.replace(/^[^,]*, /, '')}, ${options}`, states: Number(states.replaceAll(',', '')) }] : [];
  });
  const [largest] = systems.sort((a, b) => b.states - a.states);
  return largest ? `${largest.what}: ${largest.states.toLocaleString('en')}` : '';
}
