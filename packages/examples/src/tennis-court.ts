/**
 * "The tennis court from 10.28 to 12.17": four players book by asking each other, with no office and no calendar. Who overlaps with an
 * earlier wish waits until that booking is given back; who does not has its own at the same time. A table tells who got what.
 */
import { type Interval, intervalReservation, overlap } from '@conclave/algorithms';
import { simulate, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import Table from 'cli-table3';

const at = (hour: number, minute: number) => 60 * hour + minute;
const clock = (minutes: number) => `${Math.floor(minutes / 60)}.${String(minutes % 60).padStart(2, '0')}`;
const range = ({ from, to }: Interval) => `${clock(from)} – ${clock(to)}`;

const commands = new Map<string, Interval>([
  ['anna', { from: at(10, 28), to: at(12, 17) }],
  ['bert', { from: at(12, 0), to: at(13, 0) }],
  ['cleo', { from: at(12, 17), to: at(14, 0) }],
  ['dora', { from: at(8, 30), to: at(10, 28) }],
]);

/** One after the other they wish, 5 ms apart, and each keeps what it has booked for 60 ms. */
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
const table = new Table({ head: ['who', 'the court', 'asked', 'had it', 'at the same time as'], style: { head: [], border: [] } });
for (const { node, interval, requestedAt, enteredAt, leftAt } of bookings) {
  const beside = bookings.filter((other) => other.node !== node && other.enteredAt < leftAt && enteredAt < other.leftAt);
  if (beside.some((other) => overlap(interval, other.interval))) throw new Error(`${node} plays where somebody else does`);
  const held = `from ${enteredAt.toFixed(0)} to ${leftAt.toFixed(0)} ms`;
  table.push([node, range(interval), `at ${requestedAt.toFixed(0)} ms`, held, beside.map((other) => other.node).join(', ')]);
}
console.log(table.toString());
for (const { name, verdict } of properties) console.log(`${name}: ${verdict}`);
