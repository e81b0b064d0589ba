import type { Protocol } from '@conclave/core/protocol';
import { simulate, type Workload } from '@conclave/core/simulation';
import { chain, complete, star, type Topology } from '@conclave/core/topology';
import type { Trace, TraceLine } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { type VectorClock, vectorClock } from './clock.js';
import { logicalClock } from './logical-clock/protocol.js';

type Conditions = NonNullable<Parameters<typeof simulate>[0]['conditions']>;

const isOfNode = ({ event }: TraceLine): boolean =>
  !['drop', 'duplicate', 'cut', 'heal'].includes(event.kind);

/**
 * The graph of a trace: from each line of a node to its next line, and from each send to its
 * deliveries. Of messages with the same text on one channel, the first one sent arrives first, and
 * the last one sent is lost or duplicated first.
 */
function successors({ lines }: Trace): readonly (readonly number[])[] {
  const next: number[][] = lines.map(() => []);
  const latest = new Map<string, number>();
  const onTheWay = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const { node, event, effects } = line;
    if (event.kind === 'deliver' || event.kind === 'drop' || event.kind === 'duplicate') {
      const sent = onTheWay.get(`${event.from} ${node} ${event.call}`) ?? [];
      if (event.kind === 'deliver') next[sent.shift() ?? -1]?.push(index);
      else if (event.kind === 'drop') sent.pop();
      else sent.push(...sent.slice(-1));
    }
    if (!isOfNode(line)) continue;
    next[latest.get(node) ?? -1]?.push(index);
    latest.set(node, index);
    for (const effect of effects) {
      if (effect.kind !== 'send') continue;
      const channel = `${node} ${effect.to} ${effect.call}`;
      onTheWay.set(channel, [...(onTheWay.get(channel) ?? []), index]);
    }
  }
  return next;
}

/** By line: the lines that a path leads to. */
function reachable(next: readonly (readonly number[])[]): readonly ReadonlySet<number>[] {
  const reached: Set<number>[] = next.map(() => new Set());
  for (let index = next.length - 1; index >= 0; index--)
    for (const to of next[index] ?? [])
      reached[index] = new Set([...(reached[index] ?? []), to, ...(reached[to] ?? [])]);
  return reached;
}

/** Each node of C1 sends, acts and sends, at random moments. */
const eventful: Workload = (application) => {
  for (const { id } of application.nodes)
    for (const type of ['send', 'act', 'send'])
      application.later({ kind: 'exponential', mean: 15 }, () => application.tell(id, { type }));
  return () => {};
};

const reordered: Conditions = { order: 'any', delay: { kind: 'uniform', least: 0, most: 30 } };
const fifo: Conditions = { order: 'fifo', delay: { kind: 'exponential', mean: 10 } };

interface Setting {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly workload: Workload;
  readonly conditions: Conditions;
}

/** How the events of a run are ordered by time and by the graph. */
interface Seen {
  before: number;
  concurrent: number;
}

/**
 * Compares each two events: the smaller stamp has, exactly, the one from which a path leads to the
 * other.
 */
function compare(trace: Trace, stamps: readonly (VectorClock | undefined)[], seen: Seen): void {
  const reached = reachable(successors(trace));
  for (const [i, one] of stamps.entries())
    for (const [j, other] of stamps.entries()) {
      if (!one || !other || i === j) continue;
      const isBefore = reached[i]?.has(j) ?? false;
      if (vectorClock.isSmaller(one, other) !== isBefore)
        throw new Error(`lines ${i} and ${j}: ${isBefore}`);
      if (isBefore) seen.before++;
      else if (!reached[j]?.has(i)) seen.concurrent++;
    }
}

/** A run, and one crash in it with `crash`. */
function recorded(
  { protocol: { history: _, ...protocol }, ...setting }: Setting,
  seed: number,
  crash: boolean,
): Trace {
  const run = { ...setting, protocol: { ...protocol, properties: [] }, seed, record: true };
  const fault = { kind: 'crash', node: setting.topology.nodes.at(-1) ?? '', at: 20 } as const;
  const { trace } = simulate(crash ? { ...run, faults: [fault] } : run);
  if (!trace) throw new Error('record: true brings a trace');
  return trace;
}

describe('vector clocks characterise happened-before: 1,000 random runs, compared with paths in the graph of the trace', () => {
  proof.each([
    ['reordered messages', reordered, false],
    ['lost messages', { ...reordered, loss: 0.3 }, false],
    ['duplicated messages', { ...reordered, duplication: 0.3 }, false],
    ['lost and duplicated messages, a crash', { ...reordered, loss: 0.2, duplication: 0.2 }, true],
    ['FIFO', fifo, false],
  ] as const)(
    'as the nodes of C1 keep them, 200 runs; and Lamport clocks, which order concurrent events, too: %s',
    (_what, conditions, crash) => {
      const networks = [complete(2), complete(3), chain(4), star(4)];
      const byVectors: Seen = { before: 0, concurrent: 0 };
      const byScalars: Seen = { before: 0, concurrent: 0 };
      for (let seed = 1; seed <= 200; seed++) {
        const setting = {
          topology: networks[seed % networks.length] ?? complete(3),
          workload: eventful,
          conditions,
        };
        const trace = recorded(
          { ...setting, protocol: logicalClock({ clock: 'vector' }) },
          seed,
          crash,
        );
        const stamps = trace.lines.map((line) => stampIn<VectorClock>(line));
        compare(trace, stamps, byVectors);
        if (seed % 5 === 0)
          checkClockCondition(
            recorded({ ...setting, protocol: logicalClock() }, seed, crash),
            byScalars,
          );
      }
      for (const { before, concurrent } of [byVectors, byScalars])
        expect(Math.min(before, concurrent)).toBeGreaterThan(500);
    },
  );
});

/** The time stamp that the application was told; undefined for a line that is no event. */
function stampIn<T>({ effects }: TraceLine): T | undefined {
  const told = effects.find(({ kind }) => kind === 'notify');
  if (told?.kind !== 'notify') return undefined;
  const text = /^event\((.*)\)$/.exec(told.call)?.[1] ?? '';
  // as the protocol's own notifications say
  return JSON.parse(text.replaceAll(/([a-z]+):/g, '"$1":')) as T;
}

/**
 * Lamport's clocks: an event that happened before another has the smaller time stamp; of concurrent
 * ones, too, one may have it.
 */
function checkClockCondition(trace: Trace, seen: Seen): void {
  const stamps = trace.lines.map((line) => stampIn<number>(line));
  for (const [i, after] of reachable(successors(trace)).entries())
    for (const [j, other] of stamps.entries()) {
      const one = stamps[i];
      if (one === undefined || other === undefined) continue;
      if (after.has(j)) {
        if (one >= other) throw new Error(`lines ${i} and ${j}: ${one} ≥ ${other}`);
        seen.before++;
      } else if (one < other) seen.concurrent++;
    }
}
