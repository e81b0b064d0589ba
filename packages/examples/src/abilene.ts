/**
 * `npm start` runs this: an election and two locks on Abilene, the American research backbone of
 * 2004, with the delays of its fibres.
 */
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { raymond } from '@conclave/algorithms/raymond';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import type { Protocol } from '@conclave/core/protocol';
import {
  closedLoop,
  oneShot,
  type SimulationResult,
  simulate,
  totalMessages,
} from '@conclave/core/simulation';
import { topology } from '@conclave/core/topology';
import { linesText, type TraceLine } from '@conclave/core/trace';
import Table from 'cli-table3';
import colors from 'picocolors';

const physical = topology('abilene');
const seed = 2004;
const entries = 20;
const conditions = {
  order: 'any',
  delay: { kind: 'link', jitter: { kind: 'exponential', mean: 5 } },
} as const;

const say = (text = '') => console.log(text);
const ms = (value: number | undefined) => (value === undefined ? '–' : `${value.toFixed(1)} ms`);

/** The lines up to the first entry into the critical section; without an entry, the last lines. */
function excerpt(lines: readonly TraceLine[], count: number): string {
  const entry = lines.findIndex(({ before, after }) => after === 'held' && before !== 'held');
  const from = Math.max(0, (entry < 0 ? lines.length : entry + 1) - count);
  return linesText(lines.slice(from, from + count));
}

/** A line per property, and one line for all properties of single steps that hold. */
function verdicts({ properties }: SimulationResult): string {
  const ofSteps = properties.filter(
    ({ kind, verdict }) => kind === 'everyStep' && verdict === 'holds',
  );
  const lines = properties
    .filter((property) => !ofSteps.includes(property))
    .map(
      ({ name, verdict }) =>
        `  ${['holds', 'reached'].includes(verdict) ? colors.green('✓') : colors.red('✗')} ${name}: ${verdict}`,
    );
  return [
    ...lines,
    `  ${colors.green('✓')} properties of single steps: all ${ofSteps.length} hold`,
  ].join('\n');
}

function compete(protocol: Protocol): SimulationResult {
  const workload = closedLoop({
    entries,
    think: { kind: 'exponential', mean: 50 },
    hold: { kind: 'fixed', ms: 2 },
  });
  return simulate({
    protocol,
    topology: protocol.topology.overlay(physical),
    conditions,
    workload,
    seed,
    record: true,
  });
}

say(
  colors.bold(
    `Abilene: ${physical.nodes.length} sites, ${physical.links.length / 2} fibres. Messages travel at two thirds of the speed of light.`,
  ),
);
say();

const election = simulate({
  protocol: lelannChangRoberts,
  topology: lelannChangRoberts.topology.overlay(physical),
  conditions,
  workload: oneShot({ type: 'elect' }),
  seed,
  record: true,
});
say(colors.bold(`1  Election: ${lelannChangRoberts.title} on a logical ring. All sites start.`));
say(
  `  The leader is ${election.leader ?? 'unknown'}. The election took ${ms(election.virtualMs)} and ${totalMessages(election)} messages.`,
);
say(verdicts(election));
say();

const locks = [
  { protocol: ricartAgrawala, result: compete(ricartAgrawala) },
  { protocol: raymond(), result: compete(raymond()) },
];
for (const [index, { protocol, result }] of locks.entries()) {
  say(
    colors.bold(
      `${index + 2}  Lock: ${protocol.title} on ${result.topology}. Each site enters ${entries} times; messages may overtake each other.`,
    ),
  );
  say(verdicts(result));
  say('  The steps up to the first entry:');
  say(colors.dim(excerpt(result.trace?.lines ?? [], 6)));
}

const table = new Table({
  head: [
    'protocol',
    'entries',
    'messages per entry',
    'by formula',
    'mean wait',
    'synchronisation delay',
  ],
  style: { head: [], border: [] },
});
for (const { protocol, result } of locks) {
  const { exclusion } = result;
  const perEntry = totalMessages(result) / exclusion.entries.length;
  const formula = protocol.cost?.messages(physical.nodes.length);
  const exact = formula?.least === formula?.most;
  table.push([
    protocol.title,
    exclusion.entries.length,
    perEntry.toFixed(2),
    `${protocol.cost?.formula}${exact ? ` = ${formula?.most}` : ''}`,
    ms(exclusion.meanWait),
    ms(exclusion.synchronisationDelay),
  ]);
}
say(table.toString());
say();
say('See every message            npx conclave simulate A3 --topology abilene --trace run.txt');
say('Draw a space-time diagram    npx conclave simulate A3 --topology complete:3 --trace run.svg');
say('Read a protocol              npx conclave chart A7 --format markdown');
say(
  'Break an assumption          npx conclave simulate A3 --topology complete:4 --loss 0.1 --seed 3',
);
say('Use the lock in a program    docs/lock.md');
if (
  [election, ...locks.map(({ result }) => result)].some(
    ({ violated, complete }) => violated !== undefined || !complete,
  )
)
  process.exitCode = 1;
