/**
 * Two leaders over one store: every order in which their calls reach it. The first one does not
 * learn that the second one leads.
 */
import { proof, sampled } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { Job, type JobOptions } from './job.js';
import type { OnceEvent } from './once-types.js';
import { ticksOf } from './schedule.js';
import type { Seat } from './seat.js';
import { memoryTicks, type TickStore, textOf } from './tick-store.js';

/** Something that may happen next. */
interface Step {
  readonly take: () => void;
  /** The store does it, and its answer is lost. */
  readonly lose?: (() => void) | undefined;
}

const settled = async () => {
  for (let turns = 0; turns < 25; turns++) await Promise.resolve();
};

const ticks = ticksOf('once', { every: 10 });
const due = [10, 20];

interface Setting {
  readonly catchUp: JobOptions['catchUp'];
  readonly interrupted: JobOptions['interrupted'];
  readonly tokens: readonly (number | undefined)[];
  /** How many answers of the store are lost. */
  readonly losses: number;
}

/** Two leaders whose calls of the store, and timers, wait for their turn. */
function twoLeaders({ catchUp, interrupted, tokens }: Setting) {
  const shared = memoryTicks();
  shared.write('job', textOf({ tick: 0, token: 0, node: 'z', done: true }), undefined);
  const steps = new Map<string, Step>();
  const starts: { readonly tick: number; readonly node: string }[] = [];
  const events: OnceEvent[] = [];
  const begin = (node: string, token: number | undefined): Job => {
    const gated = <T>(call: () => T | Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const take = () => resolve(call());
        const lose = () => {
          void call();
          reject(new Error('the answer is lost'));
        };
        steps.set(node, { take, lose });
      });
    const store: TickStore = {
      read: (name) => gated(() => shared.read(name)),
      write: (...texts) => gated(() => shared.write(...texts)),
    };
    const clock = {
      now: () => 25,
      setTimeout: (fire: () => void, delay: number) => {
        if (delay >= 1000) steps.set(node, { take: fire }); // it asks the store again
        return undefined; // otherwise it waits for the third tick
      },
      clearTimeout: () => {},
    };
    const tenure = { token, signal: new AbortController().signal, isOver: () => false };
    const seat: Seat = {
      id: node,
      join: (candidate) => {
        void candidate.begin(tenure);
        return () => {};
      },
    };
    const job = new Job(
      {
        ...{ name: 'job', ticks, store, catchUp, interrupted, clock },
        ...{ startWithin: Infinity, skew: 1000, onError: () => {}, stopped: () => {} },
        run: ({ tick }) => void starts.push({ tick: tick.getTime(), node }),
      },
      seat,
    );
    job.event$.subscribe((event) => events.push(event));
    return job;
  };
  for (const [index, token] of tokens.entries()) begin('ab'[index] ?? '', token);
  return { steps, starts, events };
}

/** Runs it by these choices, and the first one at each later step. Returns how many there were. */
async function runBy(choices: readonly number[], setting: Setting) {
  const { steps, starts, events } = twoLeaders(setting);
  const options: number[] = [];
  let { losses } = setting;
  for (let fired = 0; ; ) {
    await settled();
    const calls = [...steps].filter(([, { lose }]) => lose);
    const timers = [...steps].slice(0, fired < 4 ? 1 : 0); // a second is longer than all calls
    if (calls.length === 0) fired += timers.length;
    const possible = (calls.length > 0 ? calls : timers).flatMap(([node, { take, lose }]) => [
      { node, run: take, isLoss: false },
      ...(lose && losses > 0 ? [{ node, run: lose, isLoss: true }] : []),
    ]);
    const chosen = possible[choices[options.length] ?? 0];
    if (!chosen) break;
    if (options.length > 100) throw new Error('it does not end');
    options.push(possible.length);
    steps.delete(chosen.node);
    if (chosen.isLoss) losses--;
    chosen.run();
  }
  return { options, starts, events };
}

/** Every run, in the order of the choices. Returns how many there are. */
async function everyRun(
  setting: Setting,
  check: (run: Awaited<ReturnType<typeof runBy>>) => void,
): Promise<number> {
  let runs = 0;
  for (let choices: readonly number[] | undefined = []; choices; runs++) {
    const run = await runBy(choices, setting);
    check(run);
    const made = run.options.map((_, index) => choices?.[index] ?? 0);
    const last = made.findLastIndex((choice, index) => choice + 1 < (run.options[index] ?? 0));
    choices = last < 0 ? undefined : [...made.slice(0, last), (made[last] ?? 0) + 1];
  }
  return runs;
}

const startedTwice = (starts: readonly { readonly tick: number }[]): readonly number[] =>
  starts.map(({ tick }) => tick).filter((tick, index, all) => all.indexOf(tick) !== index);

const told = (events: readonly OnceEvent[]): ReadonlySet<number> =>
  new Set(events.flatMap((event) => (event.type === 'interrupted' ? [event.tick.getTime()] : [])));

const kinds = [
  ['tokens', [1, 2]],
  ['no tokens', [undefined, undefined]],
] as const;

it.each(sampled(kinds, 1))('all orders, with %s: each tick starts once', async (_, tokens) => {
  const setting = { catchUp: 'all', interrupted: 'skip', tokens, losses: 0 } as const;
  const runs = await everyRun(setting, ({ starts }) => {
    expect(starts.map(({ tick }) => tick)).toEqual(due);
  });
  expect(runs).toBeGreaterThan(50);
});

proof.each(kinds)(
  'all orders, an answer is lost, with %s: each tick starts once',
  async (_, tokens) => {
    const setting = { catchUp: 'all', interrupted: 'skip', tokens, losses: 1 } as const;
    await everyRun(setting, ({ starts, events }) => {
      expect(startedTwice(starts)).toEqual([]);
      const started = starts.map(({ tick }) => tick);
      expect(due.filter((tick) => !started.includes(tick) && !told(events).has(tick))).toEqual([]);
    });
  },
);

it('interrupted: again starts a tick twice only where it has told so', async () => {
  const setting = { catchUp: 'all', interrupted: 'again', tokens: [1, 2], losses: 0 } as const;
  let twice = 0;
  await everyRun(setting, ({ starts, events }) => {
    for (const tick of startedTwice(starts)) {
      twice++;
      expect(told(events)).toContain(tick);
    }
    expect(new Set(starts.map(({ tick }) => tick))).toEqual(new Set(due));
  });
  expect(twice).toBeGreaterThan(0);
});
