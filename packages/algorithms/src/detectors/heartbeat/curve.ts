/**
 * The price of a short time-out, measured in simulation where no bound of the delay holds: a table
 * and a curve.
 */
import type { NodeId } from '@conclave/core/protocol';
import { idleFor, Simulation } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { fixed } from '../../generated-table.js';
import { suspectedBy } from '../failure-detection.js';
import { heartbeat } from './protocol.js';

const conditions = { order: 'any', delay: { kind: 'exponential', mean: 20 }, loss: 0.01 } as const;
const timeouts = [110, 120, 140, 160, 180, 200, 220, 250, 300, 350];
const nodes = 3;
/** How long false suspicions are counted, in milliseconds. */
const observed = 120_000;
const crashes = 40;

interface Point {
  readonly timeout: number;
  /** The mean time from a crash to its detection by all, in milliseconds. */
  readonly detection: number;
  /** By one node of another one, in an hour. */
  readonly falseSuspicions: number;
}

function falseSuspicions(timeout: number): number {
  const protocol = { ...heartbeat({ timeout }), properties: [] };
  const run = new Simulation({
    protocol,
    topology: complete(nodes),
    conditions,
    workload: idleFor(observed),
  });
  const before = new Map<NodeId, number>();
  let count = 0;
  run.snapshots$.subscribe((node) => {
    const { length } = suspectedBy(node);
    count += Math.max(0, length - (before.get(node.id) ?? 0));
    before.set(node.id, length);
  });
  run.run();
  return (count * 3_600_000) / (observed * nodes * (nodes - 1));
}

/**
 * For a crash at `at`: how long it takes until the other one suspects the crashed node for good.
 */
function detection(timeout: number, at: number, seed: number): number {
  const protocol = { ...heartbeat({ timeout }), properties: [] };
  const faults = [{ kind: 'crash', node: 'a', at, inside: false }] as const;
  const run = new Simulation({
    protocol,
    topology: complete(2),
    conditions,
    faults,
    seed,
    workload: idleFor(at + 3 * timeout),
  });
  let since = Infinity;
  run.snapshots$.subscribe((node) => {
    if (node.id !== 'b') return;
    if (suspectedBy(node).length === 0) since = Infinity;
    else since = Math.min(since, run.clock.now());
  });
  run.run();
  return Math.max(0, since - at);
}

let points: readonly Point[] | undefined;

/** Always the same: the seeds are. */
export function measured(): readonly Point[] {
  points ??= timeouts.map((timeout) => {
    const times = Array.from({ length: crashes }, (_, index) =>
      detection(timeout, 500 + (index * 100) / crashes, index + 1),
    );
    const mean = times.reduce((sum, time) => sum + time, 0) / crashes;
    return { timeout, detection: mean, falseSuspicions: falseSuspicions(timeout) };
  });
  return points;
}

/** The picture, and the same as a table. */
export const curvePart = (): string =>
  [
    '![Detection time against false suspicions, for time-outs from 110 to 350 ms](curve.svg)',
    '',
    '| time-out in ms | mean detection time in ms | false suspicions of a node by another one, in an hour |',
    '|---|---|---|',
    ...measured().map(
      ({ timeout, detection, falseSuspicions }) =>
        `| ${timeout} | ${fixed(detection, 0) ?? 'not detected'} | ${falseSuspicions.toFixed(0)} |`,
    ),
  ].join('\n');

const [width, height, left, bottom, right, top] = [640, 360, 70, 310, 610, 30];
const style =
  'text{font:12px sans-serif;fill:#52606d}.axis{stroke:#7b8794}.guide{stroke:#9aa5b1;stroke-opacity:.35}.curve{fill:none;stroke:#3b6fd4;stroke-width:2}.point{fill:#3b6fd4}';

/**
 * Detection time from left to right, false suspicions upwards on a logarithmic axis; each point has
 * its time-out.
 */
export function curveSvg(): string {
  const all = measured();
  const decades = Math.ceil(
    Math.log10(1 + Math.max(...all.map(({ falseSuspicions }) => falseSuspicions))),
  );
  const ms = 50 * Math.ceil(Math.max(...all.map(({ detection }) => detection)) / 50);
  const x = (detection: number) => (left + ((right - left) * detection) / ms).toFixed(1);
  const y = (count: number) =>
    (bottom - ((bottom - top) * Math.log10(1 + count)) / decades).toFixed(1);
  const across = Array.from({ length: ms / 50 + 1 }, (_, index) => index * 50);
  const upwards = [0, ...Array.from({ length: decades + 1 }, (_, index) => 10 ** index)];
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Detection time against false suspicions">`,
    `<style>${style}</style>`,
    ...across.map(
      (at) => `<text x="${x(at)}" y="${bottom + 18}" text-anchor="middle">${at}</text>`,
    ),
    ...upwards.flatMap((count) => [
      `<line class="guide" x1="${left}" x2="${right}" y1="${y(count)}" y2="${y(count)}"/>`,
      `<text x="${left - 8}" y="${y(count)}" dy="4" text-anchor="end">${count}</text>`,
    ]),
    `<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`,
    `<text x="${(left + right) / 2}" y="${height - 10}" text-anchor="middle">mean detection time in ms</text>`,
    `<text x="${left}" y="16">false suspicions in an hour</text>`,
    `<polyline class="curve" points="${all.map((point) => `${x(point.detection)},${y(point.falseSuspicions)}`).join(' ')}"/>`,
    ...all.flatMap(({ timeout, detection, falseSuspicions }) => [
      `<circle class="point" cx="${x(detection)}" cy="${y(falseSuspicions)}" r="4"/>`,
      `<text x="${x(detection)}" y="${y(falseSuspicions)}" dx="8" dy="-4">${timeout}</text>`,
    ]),
    '</svg>',
  ].join('\n')}\n`;
}
