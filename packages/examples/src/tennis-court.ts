/**
 * "The tennis court from 10.28 to 12.17": four players book by messages to each other, with no
 * office and no calendar. A player waits while its interval overlaps with that of an earlier
 * request. Intervals without an overlap can be held at the same time. Prints a table of the
 * bookings.
 */
import { type Interval, intervalReservation, overlap } from '@conclave/algorithms';
import { simulate, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import Table from 'cli-table3';

const at = (hour: number, minute: number) => 60 * hour + minute;
const clock = (minutes: number) =>
  `${Math.floor(minutes / 60)}.${String(minutes % 60).padStart(2, '0')}`;
const range = ({ from, to }: Interval) => `${clock(from)} – ${clock(to)}`;

const commands = new Map<string, Interval>([
  ['anna', { from: at(10, 28), to: at(12, 17) }],
  ['bert', { from: at(12, 0), to: at(13, 0) }],
  ['cleo', { from: at(12, 17), to: at(14, 0) }],
  ['dora', { from: at(8, 30), to: at(10, 28) }],
]);

/** The players request one after another, 5 ms apart. Each holds its booking for 60 ms. */
const book: Workload = ({ later, tell }) => {
  for (const [place, [player, interval]] of [...commands].entries()) {
    const acquire = { type: 'acquire', interval };
    later({ kind: 'fixed', ms: 5 * place }, () => tell(player, acquire));
  }
  const booked = new Set<string>();
  return ({ id, tags }) => {
    if (!tags.has('critical') || booked.has(id)) return;
    booked.add(id);
    later({ kind: 'fixed', ms: 60 }, () => tell(id, { type: 'release' }));
  };
};

const { exclusion, properties } = simulate({
  protocol: intervalReservation(),
  topology: complete([...commands.keys()]),
  conditions: { order: 'any', delay: { kind: 'uniform', least: 1, most: 9 } },
  workload: book,
});

const bookings = exclusion.entries.flatMap(({ node, leftAt, ...times }) => {
  const interval = commands.get(node);
  return interval && leftAt !== undefined ? [{ node, interval, leftAt, ...times }] : [];
});
const table = new Table({
  head: ['player', 'court', 'requested', 'held', 'at the same time as'],
  style: { head: [], border: [] },
});
for (const { node, interval, requestedAt, enteredAt, leftAt } of bookings) {
  const beside = bookings.filter(
    (other) => other.node !== node && other.enteredAt < leftAt && enteredAt < other.leftAt,
  );
  if (beside.some((other) => overlap(interval, other.interval)))
    throw new Error(`${node} overlaps with another player`);
  const held = `from ${enteredAt.toFixed(0)} to ${leftAt.toFixed(0)} ms`;
  table.push([
    node,
    range(interval),
    `at ${requestedAt.toFixed(0)} ms`,
    held,
    beside.map((other) => other.node).join(', '),
  ]);
}
console.log(table.toString());
for (const { name, verdict } of properties) console.log(`${name}: ${verdict}`);
