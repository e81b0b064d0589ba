/**
 * Every simulated run is a run of the explored system: the two hosts agree, in untimed and in exact
 * time.
 */

import type { NodeId, Protocol } from '@conclave/core/protocol';
import {
  always,
  atMost,
  everyStep,
  increases,
  leadsTo,
  type NodeView,
  never,
  overtaken,
  type Property,
  sometimes,
} from '@conclave/core/protocol';
import type { SimulationOptions, SimulationResult } from '@conclave/core/simulation';
import { closedLoop, oneShot, simulate } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { chain, complete, ring, star } from '@conclave/core/topology';
import { replay, traceText } from '@conclave/core/trace';
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  calls,
  cards,
  centralLock,
  leaders,
} from '../../../core/src/protocol/examples.contract.js';
import { randomProtocol } from '../../../core/src/protocol/random-protocol.contract.js';
import type { TimeModel } from '../../../core/src/protocol/time.js';
import {
  electing,
  inside,
  seeds,
  unsentIn,
} from '../../../core/src/simulation/crashes.contract.js';
import { RunJudge } from '../run-judge/run-judge.js';
import { nextOrFault, Worlds } from '../worlds/worlds.js';
import { budgetOf } from './budget-of.js';
import { follow } from './follow.js';

interface Run {
  readonly least: number;
  readonly most: number;
  readonly seed: number;
  readonly order: 'fifo' | 'any';
  readonly loss?: number;
  readonly duplication?: number;
  readonly drift?: number;
  readonly crash?: { readonly node: NodeId; readonly at: number; readonly restartAfter: number };
}

function recorded(
  protocol: Protocol,
  topology: Topology,
  { least, most, seed, order, loss = 0, duplication = 0, drift = 0, crash }: Run,
  type: string,
) {
  const { trace } = simulate({
    protocol: {
      ...protocol,
      channels: { ...protocol.channels, order: 'any', loss: true, duplication: true },
      properties: [],
    },
    topology,
    conditions: { order, delay: { kind: 'uniform', least, most }, loss, duplication },
    drift,
    workload: oneShot({ type }, { after: { kind: 'uniform', least: 0, most: 20 } }),
    faults: crash ? [{ kind: 'crash', ...crash }] : [],
    until: { steps: 400 },
    seed,
    record: true,
  });
  if (!trace) throw new Error('record: true brings a trace');
  return trace;
}

const within = (least: number, most: number, drift = 0): TimeModel => ({
  kind: 'exact',
  delay: [least, most],
  drift,
});
const budget = { commands: 5, losses: 9, duplications: 9, crashes: 1, restarts: 1 };

describe('a simulated run', () => {
  const runs = fc.record({
    bounds: fc.constantFrom([0, 0], [0, 3], [2, 2], [3, 7], [8, 12]),
    seed: fc.integer({ min: 0, max: 1e6 }),
    order: fc.constantFrom('fifo' as const, 'any' as const),
    loss: fc.constantFrom(0, 0.2),
    duplication: fc.constantFrom(0, 0.2),
    drift: fc.constantFrom(0, 0.2),
    crash: fc.option(
      fc.record({
        node: fc.constantFrom('a', 'b'),
        at: fc.double({ min: 0, max: 20, noNaN: true }),
        restartAfter: fc.constantFrom(1, 7.5, 30),
      }),
      { nil: undefined },
    ),
  });

  it('of callers with loss, duplication, a crash and a restart is a run of the explorer in exact and in untimed time', () => {
    let steps = 0;
    assertRuns(
      fc.property(runs, ({ bounds: [least = 0, most = 0], crash, ...run }) => {
        const trace = recorded(
          calls,
          complete(2),
          { ...run, least, most, ...(crash && { crash }) },
          'call',
        );
        for (const time of [within(least, most, run.drift), 'untimed'] as const)
          steps += follow(calls, complete(2), trace, { ...budget, order: run.order, time }).steps;
      }),
      8,
      80,
      1,
    );
    if (isWhole) expect(steps).toBeGreaterThan(500);
  });

  it('of a random protocol with timers and choices is a run of the explorer in exact time', () => {
    let timeouts = 0;
    assertRuns(
      fc.property(
        randomProtocol,
        fc.constantFrom(complete(2), ring(3), chain(3)),
        runs,
        (protocol, topology, { bounds: [least = 0, most = 0], crash: _, ...run }) => {
          const trace = recorded(protocol, topology, { ...run, least, most }, 'go');
          expect(
            follow(protocol, topology, trace, {
              ...budget,
              order: run.order,
              time: within(least, most, run.drift),
            }),
          ).toMatchObject({ steps: trace.lines.length });
          timeouts += trace.lines.filter(({ event }) => event.kind === 'timeout').length;
        },
      ),
      8,
      80,
      1,
    );
    if (isWhole) expect(timeouts).toBeGreaterThan(50);
  });

  it('of a lock, and of nodes that choose at their start, is one as well', () => {
    const { trace = noTrace() } = simulate({
      protocol: centralLock,
      topology: star(4),
      conditions: { order: 'any', delay: { kind: 'uniform', least: 1, most: 9 } },
      workload: closedLoop({ entries: 3 }),
      seed: 5,
      record: true,
    });
    expect(
      follow(centralLock, star(4), trace, { commands: 3, order: 'any', time: within(1, 9) }).steps,
    ).toBeGreaterThan(40);
    const played = simulate({
      protocol: cards,
      topology: complete(2),
      workload: oneShot({ type: 'play' }),
      seed: 2,
      record: true,
    });
    expect(follow(cards, complete(2), played.trace ?? noTrace(), {}).steps).toBeGreaterThan(3);
  });
});

const noTrace = () => {
  throw new Error('record: true brings a trace');
};

describe('follow refuses', () => {
  const trace = recorded(calls, complete(2), { least: 4, most: 6, seed: 3, order: 'any' }, 'call');

  it.each([
    ['a run that is faster than the model', within(7, 9)],
    ['a run that is slower than the model', within(0, 3)],
  ])('%s', (_what, time) => {
    expect(() => follow(calls, complete(2), trace, { ...budget, order: 'any', time })).toThrow(
      /^Line \d+, '.*' is not possible: /,
    );
  });

  proof('a run whose clocks drift more than those of the model', () => {
    const drifted = (seed: number) =>
      recorded(
        calls,
        complete(2),
        { least: 30, most: 40, seed, order: 'fifo', drift: 0.5 },
        'call',
      );
    const refused = [1, 2, 3, 4, 5, 6].filter((seed) => {
      expect(() =>
        follow(calls, complete(2), drifted(seed), {
          ...budget,
          order: 'fifo',
          time: within(30, 40, 0.5),
        }),
      ).not.toThrow();
      try {
        follow(calls, complete(2), drifted(seed), {
          ...budget,
          order: 'fifo',
          time: within(30, 40, 0.1),
        });
        return false;
      } catch {
        return true;
      }
    });
    expect(refused.length).toBeGreaterThan(3);
  });

  it('a run with more commands than the budget, and says what is possible', () => {
    expect(() => follow(calls, complete(2), trace, { commands: 0 })).toThrow(
      'call  idle → calling',
    );
  });

  it('in exact time a run without times', () => {
    const lines = trace.lines.map(({ time: _, ...line }) => line);
    expect(() => follow(calls, complete(2), { ...trace, lines }, { time: within(4, 6) })).toThrow(
      'has no time',
    );
  });

  it('a run with a cut in one direction', () => {
    const lines = [
      { time: 0, node: 'a', event: { kind: 'cut', from: 'b' }, effects: [] } as const,
      ...trace.lines,
    ];
    expect(() => follow(calls, complete(2), { ...trace, lines }, {})).toThrow(
      'this cut is no split of the network into two parts',
    );
  });
});

// A simulated run with crashes in the middle of steps is a run of the explorer, which judges it
// alike, on both hosts.

const network = complete(3);
const untraced = () => expect.fail('record: true brings a trace');
const waits = ({ tags }: NodeView) => tags.has('waiting');

/** What a run may be asked. */
const questions: readonly Property[] = [
  always('at most one waits', (system) => system.count('waiting') <= 1),
  always('at most two messages are in flight', (system) => system.inFlight().length <= 2),
  never('two are critical', (system) => system.count('critical') > 1),
  sometimes(
    'nobody waits, and a node is down',
    (system) => system.live < system.nodes.length && system.count('waiting') === 0,
  ),
  everyStep('at most one message is sent in a step', ({ sent }) => sent.length <= 1),
  leadsTo('a node that waits goes on', waits, (node) => !waits(node)),
  increases('numbers grow', ({ context, tags }) =>
    tags.has('waiting') ? Number(context.n) : undefined,
  ),
  overtaken(0, {
    inside: waits,
    waits: (node) => !waits(node),
    name: 'each one stops at most once',
  }),
  atMost(1, { per: 'go' }),
];

/** All of a result but for its host, with the text of the trace. */
function bytes({
  host: _,
  hostReason: _reason,
  confirmed: _confirmed,
  trace,
  ...result
}: SimulationResult): string {
  return JSON.stringify(result) + (trace ? traceText(trace) : '');
}

/**
 * How a property stands at the end of a recorded run, and how many of its crashes are in the middle
 * of a step.
 */
function judged(protocol: Protocol, { trace = untraced() }: SimulationResult) {
  expect(replay(protocol, network, trace)).toEqual({ steps: trace.lines.length });
  const budget = budgetOf(protocol, trace);
  const worlds = new Worlds(protocol, network, budget);
  const judge = new RunJudge(worlds);
  let [run, crashes] = [judge.begin(), 0];
  for (const number of follow(protocol, network, trace, budget).actions) {
    const { world } = run.position;
    const action = worlds.actions(world)[number] ?? expect.fail('no such action');
    if (action.type === 'crash' && action.during) crashes++;
    run = judge.after(run, action, nextOrFault(worlds, world, action));
  }
  return { standing: run.standings[0]?.value, isQuiescent: run.position.isQuiescent, crashes };
}

describe('a run with crashes in the middle of steps', () => {
  it('is the same on both hosts, and a run of the explorer, which judges it alike', () => {
    let [inSteps, violated] = [0, 0];
    const runs = fc.record({
      seed: fc.nat(1e6),
      inside: fc.constantFrom(undefined, true),
      order: fc.constantFrom('fifo' as const, 'any' as const),
      at: fc.constantFrom(0, 3, 9),
      restartAfter: fc.constantFrom(undefined, 0, 5),
      property: fc.constantFrom(...questions),
    });
    const agrees = fc.property(
      randomProtocol,
      runs,
      (random, { seed, inside: given, order, at, restartAfter, property }) => {
        const protocol: Protocol = {
          ...random,
          channels: { ...random.channels, order },
          properties: [property],
        };
        const first = {
          kind: 'crash',
          node: 'a',
          at,
          ...(given && { inside: given }),
          ...(restartAfter !== undefined && { restartAfter }),
        } as const;
        const options: SimulationOptions = {
          protocol,
          topology: network,
          seed,
          record: true,
          conditions: { order, delay: { kind: 'exponential', mean: 4 } },
          faults: [first, { kind: 'crash', node: 'b', at: at + 4 }],
          workload: oneShot({ type: 'go' }, { after: { kind: 'uniform', least: 0, most: 15 } }),
          until: { steps: 60 },
        };
        const result = simulate({ ...options, host: 'compiled', confirm: 'all' });
        expect(bytes(result)).toBe(bytes(simulate({ ...options, host: 'actors' })));
        if (result.fault !== undefined) return;
        const { standing, isQuiescent, crashes } = judged(protocol, result);
        inSteps += crashes;
        if (property.kind === 'leadsTo' && !isQuiescent) return;
        const [{ verdict } = { verdict: undefined }] = result.properties;
        if (verdict === 'violated') violated++;
        expect([property.name, standing === 'false']).toEqual([
          property.name,
          verdict === 'violated',
        ]);
        if (property.kind === 'sometimes')
          expect([property.name, standing === 'true']).toEqual([
            property.name,
            verdict === 'reached',
          ]);
      },
    );
    assertRuns(agrees, 13, 400, 5);
    if (!isWhole) return;
    expect(inSteps).toBeGreaterThan(20);
    expect(violated).toBeGreaterThan(20);
  });

  proof(
    'is one as well where nodes send much, or choose at their start, also where the channels keep less order than assumed',
    () => {
      const parts = new Set<string>();
      for (const seed of seeds(40))
        for (const order of ['fifo', 'any'] as const) {
          const result = simulate({
            ...electing,
            seed,
            faults: [inside],
            conditions: { order },
            until: { time: 30 },
          });
          judged(leaders, result);
          parts.add(unsentIn(result).join());
        }
      expect(parts.size).toBeGreaterThan(12);
      const crashes: number[] = [];
      for (const seed of seeds(60)) {
        const workload = oneShot(
          { type: 'play' },
          { nodes: ['a'], after: { kind: 'fixed', ms: 9 } },
        );
        const faults = [{ ...inside, at: seed % 2 === 0 ? 0 : 7, restartAfter: 5 }];
        const options = {
          protocol: cards,
          topology: network,
          workload,
          faults,
          seed,
          record: true,
        } as const;
        const result = simulate(options);
        expect(bytes(result)).toBe(bytes(simulate({ ...options, host: 'actors' })));
        crashes.push(judged(cards, result).crashes);
      }
      expect(crashes.filter((count) => count === 1).length).toBeGreaterThan(20);
    },
  );

  proof('loses at the time of the crash, not what arrives later at a node that is down', () => {
    const unordered: Protocol = { ...leaders, channels: { ...leaders.channels, order: 'any' } };
    for (const seed of seeds(40)) {
      const faults = [{ kind: 'crash', node: 'b', at: 1, inside: false }, inside] as const;
      const result = simulate({ ...electing, protocol: unordered, seed, faults });
      const lost =
        result.trace?.lines.filter(({ event, time }) => event.kind === 'drop' && time === 10)
          .length ?? 0;
      expect([seed, judged(unordered, result).crashes]).toEqual([seed, lost > 0 ? 1 : 0]);
    }
  });

  it('does not show the world between a step and the crash in its middle', () => {
    const leads = sometimes('a node leads', (system) => system.count('leading') > 0);
    const takes = everyStep('no step sends', ({ sent }) => sent.length === 0);
    const most = atMost(1, { per: 'lead' });
    for (const seed of seeds(40)) {
      const run = (property: Property) =>
        simulate({
          ...electing,
          seed,
          properties: [property],
          faults: [inside],
          workload: oneShot({ type: 'lead' }, { nodes: ['a'], after: { kind: 'fixed', ms: 10 } }),
        });
      const result = run(leads);
      const lost = unsentIn(result).length;
      expect([seed, result.properties[0]?.verdict]).toEqual([
        seed,
        lost > 0 ? 'unreached' : 'reached',
      ]); // a crash that loses nothing comes after the step
      // the step itself is judged, with all that it sends
      expect(run(takes).violated).toBe(takes.name);
      expect([seed, run(most).violated]).toEqual([seed, 4 - lost > 1 ? most.name : undefined]);
    }
  });
});
