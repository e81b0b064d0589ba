/** History variables: what properties remember, and what no machine, trace or bound sees. */

import type { History, Protocol } from '@conclave/core/protocol';
import {
  always,
  atMost,
  defineProtocol,
  type Effect,
  everyStep,
  type Json,
  type NodeId,
  type NodeView,
  never,
  type Property,
  type Received,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { closedLoop, oneShot, simulate } from '@conclave/core/simulation';
import { complete, star } from '@conclave/core/topology';
import { replay, traceText } from '@conclave/core/trace';
import { TestModel } from '@xstate/test';
import { describe, expect, it } from 'vitest';
import { assertEvent, emit, enqueueActions, setup } from 'xstate';
import {
  calls,
  cards,
  centralLock,
  minimalProtocol,
  type Self,
} from '../../../core/src/protocol/examples.contract.js';
import { finding } from '../fixtures/explored.contract.js';
import { model } from '../model/model.js';
import { testModel } from '../model/test-model.js';
import { mutate } from '../mutation/mutate.js';
import type { Budget } from '../worlds/budget.js';
import { Worlds } from '../worlds/worlds.js';
import { explore } from './explore.js';

const inside = (node: NodeView) => node.tags.has('critical');

/** How often the node has entered. */
const entries: History<number> = {
  initial: () => 0,
  after: (count, { before, after }) => count + (inside(after) && !inside(before) ? 1 : 0),
};
const withHistory = (
  protocol: Protocol,
  history: History,
  properties: readonly Property[] = protocol.properties,
): Protocol => ({ ...protocol, history, properties });
const entered = (most: number) =>
  always(`no node has entered ${most + 1} times`, ({ nodes }) =>
    nodes.every(({ history }) => Number(history) <= most),
  );

/** How many steps each node has taken that the node knows of: a vector clock without the start. */
type Known = Readonly<Record<NodeId, number>>;
const merged = (one: Known, other: Known): Known =>
  Object.fromEntries(
    [...Object.keys(one), ...Object.keys(other)]
      .sort()
      .map((id) => [id, Math.max(one[id] ?? 0, other[id] ?? 0)]),
  );
const clock: History<Known> = {
  initial: () => ({}),
  after: (known, { after, label }) => {
    const all = merged(known, (label ?? {}) as Known); // what `label` returns
    return { ...all, [after.id]: (all[after.id] ?? 0) + 1 };
  },
  label: (known) => known,
};

// A node tells the next one a word, which answers if it is the first.

type Word = { type: 'word' };
const teller = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'tell' } | Received<Word>;
    emitted: Effect<Word>;
  },
  actions: {
    tell: emit(({ context }) =>
      send(context.peers.find((peer) => peer > context.self) ?? context.peers[0] ?? '', {
        type: 'word',
      }),
    ),
    answer: enqueueActions(({ event, enqueue }) => {
      assertEvent(event, 'word');
      if (Object.keys(event).join() !== 'type,from')
        throw new Error(`a machine sees ${Object.keys(event)}`);
      enqueue.emit(send(event.from, { type: 'word' }));
    }),
  },
}).createMachine({
  context: ({ input }) => input,
  initial: 'quiet',
  states: {
    quiet: {
      on: {
        tell: { target: 'told', actions: 'tell' },
        word: { target: 'told', actions: 'answer' },
      },
    },
    told: { tags: 'told', on: { tell: { actions: 'tell' }, word: {} } },
  },
});
const tellers = minimalProtocol(teller, {
  name: 'tellers',
  messages: { word: { meaning: 'a word' } },
  commands: { tell: { kind: 'optional', meaning: 'say a word' } },
  properties: [sometimes('two have told', (system) => system.count('told') > 1)],
  history: clock,
});

describe('a history variable', () => {
  it('is read by properties as history of a node, and counts what no context counts', () => {
    const protocol = withHistory(centralLock, entries);
    const found = explore(protocol, star(3), { commands: 2, properties: [entered(2), entered(1)] });
    expect(finding(found, 'no node has entered 3 times').verdict).toBe('holds');
    const { verdict, trace } = finding(found, 'no node has entered 2 times');
    expect(verdict).toBe('violated');
    expect(
      trace?.lines.filter(({ event }) => event.kind === 'command' && event.call === 'acquire'),
    ).toHaveLength(2);
    // The number of entries follows from the commands that are left, but for the moment between
    // request and entry.
    expect(found.states).toBe(
      explore(centralLock, star(3), { commands: 2, properties: [] }).states,
    );
  });

  it('is kept by a crash and a restart, and the start of a node is no step', () => {
    const steps: History<number> = { initial: () => 0, after: (count) => count + 1 };
    const worlds = new Worlds(withHistory(calls, steps), complete(2), {
      commands: 2,
      crashes: 1,
      restarts: 1,
    });
    const act = (world: typeof worlds.initial, type: string, node: NodeId) => {
      const action = worlds
        .actions(world)
        .find((one) => one.type === type && 'node' in one && one.node === node);
      if (!action) throw new Error(`no ${type}`);
      return worlds.next(world, action);
    };
    const past = (world: typeof worlds.initial) => worlds.view(world).node('a').history;
    expect(past(worlds.initial)).toBe(0);
    const called = act(worlds.initial, 'command', 'a');
    const crashed = act(called, 'crash', 'a');
    const back = act(crashed, 'restart', 'a');
    expect([past(called), past(crashed), past(back), past(act(back, 'command', 'a'))]).toEqual([
      1, 1, 1, 2,
    ]);
    expect(worlds.view(crashed).node('a').crashed).toBe(true);
  });

  it('sees choices as steps of their own', () => {
    const kinds: History<readonly string[]> = {
      initial: () => [],
      after: (known, { cause }) => [...known, cause.kind],
    };
    const protocol = withHistory(cards, kinds, [
      sometimes(
        'a has drawn three times',
        ({ nodes: [a] }) =>
          JSON.stringify(a?.history) === '["choice","command","choice","choice","choice"]',
      ),
    ]);
    expect(
      explore(protocol, complete(2), { initiators: ['a'], order: 'fifo' }).properties[0]?.verdict,
    ).toBe('reached');
  });

  it('is read by properties of steps, before and after, and read by a mutant run as by the original', () => {
    const grows = everyStep(
      'entries grow by entering only',
      ({ before, after }) => before.history === after.history || inside(after),
    );
    const protocol = withHistory(centralLock, entries, [...centralLock.properties, grows]);
    expect(finding(explore(protocol, star(3)), grows.name).verdict).toBe('holds');
    const never = everyStep(
      'no entry is counted',
      ({ before, after }) => before.history === after.history,
    );
    expect(
      finding(explore(withHistory(centralLock, entries, [never]), star(3)), never.name),
    ).toMatchObject({ verdict: 'violated' });
    const once = withHistory({ ...centralLock, waiting: false }, entries, [
      sometimes('a node has entered once', ({ nodes }) =>
        nodes.some(({ history }) => history === 1),
      ),
    ]);
    const { mutants } = mutate(once, {
      systems: [{ topology: star(2) }],
      operators: ['drop-action'],
    });
    expect(mutants.find(({ id }) => id.includes('ask drop-action'))).toMatchObject({
      fate: 'killed',
      by: 'a node has entered once',
    });
  });

  it('needs no more time or memory where there is none: the views have no history', () => {
    const seen: (Json | undefined)[] = [];
    const look = always('look', ({ nodes }) =>
      nodes.every(({ history }) => seen.push(history) > 0),
    );
    explore(centralLock, star(3), { properties: [look] });
    simulate({
      protocol: centralLock,
      topology: star(3),
      properties: [look],
      workload: closedLoop({ entries: 1 }),
    });
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });
});

describe('labels', () => {
  const know = (least: number) =>
    sometimes(
      `c knows ${least} steps of a`,
      (system) => Number(Object(system.node('c').history).a ?? 0) >= least,
    );

  it('carry the history of the sender to that of the receiver, and on to the next, also with losses, duplications, crashes and restarts', () => {
    const known = (initiators: readonly NodeId[], faults: Budget = {}) =>
      explore(tellers, complete(3), { initiators, properties: [know(1), know(2)], ...faults })
        .properties.map(({ verdict }) => verdict)
        .slice(0, 2);
    expect(known(['a'])).toEqual(['unreached', 'unreached']); // a tells b only
    // b tells c, which it may do after the word of a
    expect(known(['a', 'b'])).toEqual(['reached', 'unreached']);
    expect(known(['a', 'b'], { losses: 1, duplications: 1 })).toEqual(['reached', 'unreached']);
    expect(
      known(['a', 'b'], { commands: 2, crashes: 1, restarts: 1, mayCrash: ({ id }) => id === 'b' }),
    ).toEqual(['reached', 'reached']);
  });

  it('are seen by no machine, trace, property, bound or time, in any search', () => {
    const plain = (keys: readonly string[]) => keys.every((key) => key === 'type');
    const properties = [
      always('messages in flight are plain', (system) =>
        system.inFlight('word').every(({ message }) => plain(Object.keys(message))),
      ),
      everyStep('steps are plain', ({ cause, sent }) =>
        [
          ...sent.map(({ message }) => message),
          ...(cause.kind === 'message' ? [cause.message] : []),
        ].every((message) => plain(Object.keys(message))),
      ),
      atMost(2, { per: 'tell' }),
      never('three have told', (system) => system.count('told') > 2),
    ];
    const asked = { commands: 1, properties };
    for (const options of [
      {},
      { time: { kind: 'exact', delay: [1, 2], messages: { word: [0, 1] } } as const },
      { search: 'depth' } as const,
    ]) {
      const found = explore(tellers, complete(3), { ...asked, ...options });
      const told = finding(found, 'three have told');
      expect(told.verdict).toBe('violated');
      expect(told.trace && replay(tellers, complete(3), told.trace)).toEqual({
        steps: told.trace?.lines.length,
      });
      expect(told.trace && traceText(told.trace)).not.toContain('label');
      for (const { name, verdict } of found.properties.slice(0, 3))
        expect(`${name}: ${verdict}`).toMatch(/holds|incomplete/);
    }
  });

  it('are off in model tests, where embedded nodes have no history', async () => {
    const { paths, comparisons } = await testModel(
      TestModel,
      model(tellers, complete(2), { commands: 1 }),
    );
    expect({ paths, comparisons }).toEqual({ paths: 8, comparisons: 39 });
  });
});

describe('in a simulation', () => {
  it('the same histories are beside the actors, with labels, also over a reliable link and with copies', () => {
    const knows = always(
      'b knows at most one step of a',
      (system) => Number(Object(system.node('b').history).a ?? 0) <= 1,
    );
    const knowsNothing = never(
      'b knows a step of a',
      (system) => Object(system.node('b').history).a !== undefined,
    );
    for (const conditions of [{}, { duplication: 0.9 }])
      for (const reliable of [false, true]) {
        const run = (property: Property) =>
          simulate({
            protocol: tellers,
            topology: complete(2),
            properties: [property],
            workload: oneShot({ type: 'tell' }, { nodes: ['a'] }),
            conditions,
            reliable,
          });
        expect(run(knows).properties[0]?.verdict).toBe('holds');
        expect(run(knowsNothing)).toMatchObject({ violated: knowsNothing.name });
      }
  });

  it('a property of histories is judged, a crash keeps them, and messages in flight show no labels', () => {
    const protocol = withHistory(centralLock, entries);
    const properties = [
      entered(1),
      everyStep(
        'histories never shrink',
        ({ before, after }) => Number(before.history) <= Number(after.history),
      ),
    ];
    const run = (rounds: number) =>
      simulate({
        protocol,
        topology: star(3),
        properties,
        workload: closedLoop({ entries: rounds }),
      });
    expect(run(1).properties.map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
    expect(run(2)).toMatchObject({ violated: entered(1).name });
    const plain = always('plain', (system) =>
      system.inFlight().every(({ message }) => Object.keys(message).join() === 'type'),
    );
    const kept = sometimes('a crashed node has a history', ({ nodes }) =>
      nodes.some(({ crashed, history }) => crashed && JSON.stringify(history) !== '{}'),
    );
    const faulty = simulate({
      protocol: tellers,
      topology: complete(2),
      properties: [plain, kept],
      workload: oneShot({ type: 'tell' }, { nodes: ['a'] }),
      faults: [{ kind: 'crash', node: 'a', at: 500, restartAfter: 10 }],
    });
    expect(faulty.properties.map(({ verdict }) => verdict)).toEqual(['holds', 'reached']);
  });
});

describe('an error says what is wrong with', () => {
  const lock = (history: History) => () => explore(withHistory(centralLock, history), star(3));
  let calls = 0;
  it.each<[string, () => unknown, string]>([
    [
      'one that changes its argument',
      lock({ initial: () => [0], after: (seen: number[]) => [seen.push(1)] }),
      "The history of node b, at 'acquire', changes what it is given",
    ],
    [
      'one that changes the step',
      lock({
        initial: () => 0,
        after: (count: number, { after }) => Object.assign(after.context, { n: 1 }) && count,
      }),
      "The history of node b, at 'acquire', changes what it is given",
    ],
    [
      'one that draws',
      lock({ initial: () => 0, after: () => Math.random() }),
      "The history of node b, at 'acquire', asks Math.random, which answers differently each time",
    ],
    [
      'one that is not deterministic',
      lock({ initial: () => 0, after: () => calls++ % 7 }),
      'does not do the same each time: history was',
    ],
    [
      'one that is no plain data',
      lock({ initial: () => 0, after: () => undefined as never }),
      "The history of node b, at 'acquire', is no plain data: history (undefined). Use numbers",
    ],
    [
      'a label that is no plain data',
      lock({ initial: () => 0, after: () => 0, label: () => Number.NaN }),
      'The history of node b, at a label, is no plain data: label',
    ],
    [
      'one that throws',
      lock({
        initial: () => 0,
        after: () => {
          throw new Error('no step');
        },
      }),
      "The history of node b, at 'acquire', fails: no step",
    ],
    [
      'a first value that is no plain data',
      () =>
        defineProtocol({
          ...(centralLock as Parameters<typeof defineProtocol>[0]),
          history: { initial: () => new Map() as never, after: () => 0 },
        }),
      "Protocol 'central-lock': The history of node a, at its first value, is no plain data: history",
    ],
    [
      'a field with the name of the labels',
      () =>
        minimalProtocol(teller, {
          ...tellers,
          messages: { word: { fields: ['@label'], meaning: 'a word' } },
        }),
      "Protocol 'tellers': 'word' has a field '@label', a name that the host uses itself",
    ],
  ])('%s', (_what, run, message) => {
    expect(run).toThrow(message);
  });
});
