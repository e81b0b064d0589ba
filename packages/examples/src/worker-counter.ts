/**
 * Three worker threads increment and double a number. They agree on it: all apply the same
 * operations in the same order. One is killed, and the others have the next view; then a fourth one
 * joins, and gets the number. With `--svg FILE` it also draws that as a space-time diagram.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { portsBetween } from '@conclave/core/embedding';
import { linesText, spaceTimeSvg, type TraceLine } from '@conclave/core/trace';
import type { News } from './counter-worker.js';

const ports = portsBetween(['a', 'b', 'c', 'd']);
const news: News[] = [];

function start(self: string): Worker {
  const own = ports[self] ?? {};
  const options = { workerData: { self, ports: own }, transferList: Object.values(own) };
  return new Worker(new URL('./counter-worker.js', import.meta.url), options).on(
    'message',
    (one: News) => news.push(one),
  );
}

async function until(count: number, what: RegExp): Promise<void> {
  while (news.filter(({ node, call }) => what.test(`${node} ${call}`)).length < count)
    await sleep(5);
}

/**
 * An event as a line of a trace; an operation has an arrow to each other worker that applies it.
 */
function lineOf({ node, kind, call, from, members }: News): readonly TraceLine[] {
  const of = (kind: News['kind']) =>
    news.filter((other) => other.kind === kind && other.call === call);
  if (kind === 'command') {
    const effects = of('deliver').map((other) => ({ kind: 'send', to: other.node, call }) as const);
    return [{ node, event: { kind, call }, after: members, effects }];
  }
  return of('command').length === 0
    ? []
    : // c was killed before it told
      [{ node, event: { kind, call, from }, after: members, effects: [] }];
}

const workers = ['a', 'b', 'c'].map(start);
await until(2, /^c increment\(c/);
await workers[2]?.terminate();
await until(2, /^[ab] view\(2/);
workers.push(start('d'));
await until(3, /end\(/);
for (const worker of workers) await worker.terminate();

/**
 * In the order of the Lamport time stamps: each event comes after those that happened before it.
 */
const inOrder = [...news].sort((x, y) => x.ts - y.ts);
const lines = inOrder.flatMap(lineOf);
const crash: TraceLine = { node: 'c', event: { kind: 'crash' }, effects: [] };
lines.splice(lines.findLastIndex(({ node }) => node === 'c') + 1, 0, crash);
console.log(linesText(lines));

const { svg } = parseArgs({ options: { svg: { type: 'string' } } }).values;
if (svg)
  writeFileSync(
    svg,
    spaceTimeSvg({ header: new Map(), lines }, { title: 'Four worker threads share a number' }),
  );
