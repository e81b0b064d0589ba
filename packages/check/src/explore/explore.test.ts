/**
 * Compares the explorer with the slow and simple definition: a search over {@link Worlds} that
 * keeps a text per world.
 */

import type { Protocol } from '@conclave/core/protocol';
import {
  alwaysEventually,
  eventually,
  leadsTo,
  type Property,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import { complete, star } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { calls, cards, centralLock } from '../../../core/src/protocol/examples.contract.js';
import { everyMessageHandled } from '../../../core/src/protocol/handles.js';
import { finding, kinds, tennis, verdicts } from '../fixtures/explored.contract.js';
import { askable, plainly, probes, systems } from '../fixtures/systems.contract.js';
import { truthOf } from '../fixtures/truth.contract.js';
import type { Budget } from '../worlds/budget.js';
import { standardProperties } from '../worlds/standard-properties.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

describe.each(sampled(systems, 5))('%s', (_name, protocol, topology, options) => {
  const truth = truthOf(protocol, topology, options);
  const found = explore(protocol, topology, { ...options, properties: askable(protocol, probes) });

  it('has exactly the worlds and steps of the definition', () => {
    const { states, transitions, depth, complete } = found;
    expect({ states, transitions, depth, complete }).toEqual({
      states: truth.states,
      transitions: truth.transitions,
      depth: truth.depth,
      complete: true,
    });
    expect(states).toBeGreaterThan(8);
  });

  it('gives each property the verdict of the definition, by a shortest run', () => {
    for (const { name, kind, verdict, trace } of found.properties) {
      const distance = truth.nearest.get(name);
      const [yes, no] = kind === 'sometimes' ? ['reached', 'unreached'] : ['violated', 'holds'];
      // Nothing beyond an unhandled message was explored.
      const open = name !== everyMessageHandled && truth.nearest.has(everyMessageHandled);
      expect([name, plainly(verdict)]).toEqual([
        name,
        distance === undefined ? (open ? 'incomplete' : no) : yes,
      ]);
      // A start does not count as a step, and a tick is a step but no line. Answers before a world
      // where actors stop are extra lines, and a split has several lines.
      const ticksOf = ({ lines = [] }: Partial<NonNullable<typeof trace>> = {}) =>
        found.tick ? (lines.at(-1)?.time ?? 0) / found.tick : 0;
      const steps = trace?.lines.filter(({ event }) => event.kind !== 'start').length ?? 0;
      if (distance === undefined) expect(trace).toBeUndefined();
      else if (protocol === cards || options.partitions)
        expect(steps + ticksOf(trace)).toBeGreaterThanOrEqual(distance);
      else expect([name, steps + ticksOf(trace)]).toEqual([name, distance]);
    }
  });

  it('replays every trace on fresh actors', () => {
    const traces = found.properties.flatMap(({ trace }) => trace ?? []);
    expect(traces.length).toBeGreaterThan(0);
    for (const trace of traces)
      expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  });
});

describe('a trace of the explorer', () => {
  const witness = (
    protocol: Protocol,
    options: ExploreOptions,
    holds: (system: SystemView) => boolean,
  ) => explore(protocol, complete(2), { ...options, properties: [sometimes('it', holds)] });
  const some = (field: string, value: unknown) => (system: SystemView) =>
    system.nodes.some(({ context }) => context[field] === value);

  it('holds losses, timeouts, duplications, crashes and restarts, and replays', () => {
    const gaveUp = witness(
      calls,
      { losses: 2, commands: 1 },
      (system) => system.inFlight().length === 0 && some('tries', 2)(system),
    );
    expect(kinds(gaveUp, 'it')).toEqual(['command', 'timeout', 'drop', 'drop']);
    const duplicated = witness(
      calls,
      { duplications: 1 },
      (system) => system.inFlight('pong').length === 2 && some('tries', 1)(system),
    );
    expect(kinds(duplicated, 'it')).toEqual(['command', 'deliver', 'duplicate']);
    const stable = witness(
      calls,
      { crashes: 1, restarts: 1, initiators: ['a'] },
      (system) =>
        some('calls', 1)(system) && !system.nodes.some(({ context }) => context.tries !== 0),
    );
    expect(kinds(stable, 'it')).toEqual(['command', 'crash', 'restart']);
    for (const found of [gaveUp, duplicated, stable]) {
      const { trace } = finding(found, 'it');
      expect(trace && replay(calls, complete(2), trace)).toEqual({ steps: trace?.lines.length });
    }
  });

  it('crashes nodes only where they may', () => {
    const crashed = (mayCrash?: Budget['mayCrash']) => {
      const where = (state: string) =>
        sometimes(state, ({ nodes }) =>
          nodes.some(({ crashed, value }) => crashed && value === state),
        );
      const properties = [where('idle'), where('waiting'), where('critical')];
      const budget = { crashes: 1, initiators: ['b'], ...(mayCrash ? { mayCrash } : {}) };
      return explore(centralLock, star(3), { ...budget, properties })
        .properties.slice(0, 3)
        .map(({ verdict }) => verdict);
    };
    expect(crashed()).toEqual(['reached', 'reached', 'reached']);
    expect(crashed(({ tags }) => tags.has('critical'))).toEqual([
      'unreached',
      'unreached',
      'reached',
    ]);
    expect(crashed(({ id, value }) => id === 'c' && value !== 'waiting')).toEqual([
      'reached',
      'unreached',
      'unreached',
    ]);
    expect(crashed(() => false)).toEqual(['unreached', 'unreached', 'unreached']);
    expect(crashed(['waiting', 'critical'])).toEqual(['unreached', 'reached', 'reached']);
    expect(crashed(['client', '!critical'])).toEqual(['reached', 'reached', 'unreached']);
    expect(crashed(['!client'])).toEqual(['unreached', 'unreached', 'unreached']);
    const { assumptions } = explore(centralLock, star(2), {
      crashes: 1,
      mayCrash: ['client', '!critical'],
    });
    expect(assumptions).toContain(
      "that nodes crash only where they are 'client' and where they are not 'critical'",
    );
    expect(() => crashed(['!inside'])).toThrow(
      "'inside' is no tag and no role of 'central-lock'. There are the tags waiting, critical and the roles keeper, client.",
    );
    expect(() => crashed([])).toThrow('mayCrash is an empty list');
  });

  it('shows what nodes do at their start, and answers open choices', () => {
    const found = witness(
      cards,
      { initiators: ['a'] },
      ({ nodes }) => JSON.stringify(nodes[0]?.context.drawn) === '[1,"high","ace"]',
    );
    const { trace } = finding(found, 'it');
    expect(trace && linesText(trace.lines)).toBe(
      [
        'a  start          ⇒ choose 1 | 2',
        'a  chosen 1       ⇒ b: drew(1)',
        'b  start          ⇒ choose 1 | 2',
        'b  chosen 1       ⇒ a: drew(1)',
        'a  play           ⇒ choose high | low, choose left | right',
        'a  chosen high    ⇒ b: drew(high), choose king | ace',
        'a  chosen ace     ⇒ b: drew(ace)',
        'a  chosen left    ⇒ b: drew(left)\n',
      ].join('\n'),
    );
    expect(trace && replay(cards, complete(2), trace)).toEqual({ steps: 8 });
  });
});

describe('liveness', () => {
  const over = eventually('a node puts the ball down', (system) =>
    system.nodes.some(({ value }) => value === 'done'),
  );

  it('finds the loop, and where it begins', () => {
    const found = explore(tennis, complete(2), { commands: 0, properties: [over] });
    const { verdict, trace, loopsFrom } = finding(found, over.name);
    expect(verdict).toBe('violated');
    expect(trace && linesText(trace.lines)).toBe(
      [
        'a  start        playing  ⇒ b: ball',
        'b  ball from a  playing  ⇒ a: ball',
        'a  ball from b  playing  ⇒ b: ball\n',
      ].join('\n'),
    );
    expect(loopsFrom).toBe(1);
    expect(trace && replay(tennis, complete(2), trace)).toEqual({ steps: 3 });
  });

  it('a run without any optional command counts only where optional commands may be delayed forever', () => {
    const verdictOf = (fairness: 'none' | 'weak' | 'strong', property: Property) =>
      finding(explore(tennis, complete(2), { fairness, properties: [property] }), property.name)
        .verdict;
    expect(verdictOf('none', over)).toBe('violated');
    expect(verdictOf('weak', over)).toBe('holds');
    expect(verdictOf('strong', over)).toBe('holds');
    const stops = leadsTo(
      'a node that plays stops',
      ({ tags }) => tags.has('waiting'),
      ({ tags }) => !tags.has('waiting'),
    );
    expect(verdictOf('strong', stops)).toBe('violated');
  });

  it('again and again: something may happen in each run, and yet not go on happening', () => {
    const verdictOf = (property: Property, loses = 0) =>
      finding(
        explore(centralLock, star(3), { losses: loses, properties: [property] }),
        property.name,
      ).verdict;
    const noneWaits = (system: SystemView) => system.count('waiting') === 0;
    expect(verdictOf(alwaysEventually('no node waits', noneWaits))).toBe('holds');
    expect(verdictOf(alwaysEventually('no node waits', noneWaits), 1)).toBe('violated');
    // as in the first world
    expect(verdictOf(eventually('no node waits', noneWaits), 1)).toBe('holds');
    expect(verdictOf(alwaysEventually('a node waits', (system) => !noneWaits(system)))).toBe(
      'violated',
    ); // commands may stay away
    expect(verdictOf(alwaysEventually('there is a node', ({ nodes }) => nodes.length > 0))).toBe(
      'vacuous',
    );
  });

  it('a lost grant leaves its client waiting forever: liveness and deadlock freedom are violated, safety is not', () => {
    const found = explore(centralLock, star(3), { losses: 1 });
    expect(verdicts(found)).toEqual(['holds', 'reached', 'violated', 'holds', 'violated', 'holds']);
    const { trace, loopsFrom } = finding(found, 'a waiting node enters');
    expect(trace?.lines.map(({ event }) => event.kind)).toEqual(['command', 'drop']);
    expect(loopsFrom).toBe(2);
    expect(kinds(found, standardProperties[1] ?? '')).toContain('drop');
  });

  it('the path to the loop is a counterexample too: it contains no response', () => {
    const calledBack = leadsTo(
      'a call is answered at the first try',
      ({ tags }) => tags.has('waiting'),
      ({ context, tags }) => !tags.has('waiting') && context.tries === 1,
    );
    const found = explore(calls, complete(2), {
      losses: 1,
      initiators: ['a'],
      properties: [calledBack],
    });
    const { trace, verdict } = finding(found, calledBack.name);
    expect(verdict).toBe('violated');
    expect(trace && linesText(trace.lines)).toContain('timeout');
    expect(trace && replay(calls, complete(2), trace)).toEqual({ steps: trace?.lines.length });
  });
});
