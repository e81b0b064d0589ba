import { matchMessages } from '@conclave/core/internal/trace';
import { chain, complete, star, Topology } from '@conclave/core/topology';
import { linesText, parseTrace, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { calls, cards, centralLock } from '../../../core/src/protocol/examples.contract.js';
import { explore } from '../explore/explore.js';
import { actionsTo, finding, kinds, reach, texts } from '../fixtures/explored.contract.js';
import type { Budget } from './budget.js';
import { sidesOf } from './in-flight.js';
import { runLines } from './run-lines.js';
import { Worlds } from './worlds.js';

const calling = (budget: Budget = {}) =>
  new Worlds(calls, complete(2), { initiators: ['a'], partitions: 1, ...budget });

describe('the splits of a network', () => {
  const sides = (topology: Topology) => sidesOf(topology).map((side) => side.join(''));

  it('are the sets of nodes without the first one', () => {
    expect(sides(complete(1))).toEqual([]);
    expect(sides(complete(2))).toEqual(['b']);
    expect(sides(chain(3))).toEqual(['b', 'c', 'bc']);
    expect(sides(complete(4))).toEqual(['b', 'c', 'bc', 'd', 'bd', 'cd', 'bcd']);
  });

  it('leave out sets that cut no channel', () => {
    const links = ['ab', 'ba', 'cd'].map(([from = '', to = '']) => ({ from, to }));
    expect(sides(new Topology('pairs', ['d', 'a', 'b', 'c'], links))).toEqual([
      'a',
      'b',
      'c',
      'ac',
      'bc',
      'abc',
    ]); // not ab
    expect(sides(new Topology('islands', ['a', 'b'], []))).toEqual([]);
  });
});

describe('a network that splits', () => {
  it('splits within the budget, and heals at any time', () => {
    const twice = calling({ partitions: 2, commands: 0 });
    expect(texts(twice, twice.initial)).toEqual(['split b']);
    const split = reach(twice, 'split b');
    expect([split.cut, split.remaining.partitions]).toEqual([['b'], 1]);
    expect(texts(twice, split)).toEqual(['heal']);
    expect(texts(twice, reach(twice, 'split b', 'heal'))).toEqual(['split b']);
    const healed = reach(twice, 'split b', 'heal', 'split b', 'heal');
    expect([healed.cut, texts(twice, healed)]).toEqual([[], []]);
    expect(texts(calling({ partitions: 0 }), calling({ partitions: 0 }).initial)).toEqual([
      'a call',
    ]);
  });

  it('loses messages sent across, immediately and outside the budget', () => {
    const worlds = calling();
    const lost = reach(worlds, 'split b', 'a call');
    expect([lost.channels, lost.remaining.losses, lost.nodes.a?.value]).toEqual([{}, 0, 'calling']);
    expect(texts(worlds, lost)).toEqual(['a timeout', 'heal']);
  });

  it('carries messages sent after the heal, not those sent during the split', () => {
    const worlds = calling();
    const healed = reach(worlds, 'split b', 'a call', 'heal');
    expect(texts(worlds, healed)).toEqual(['a timeout']);
    const again = reach(worlds, 'split b', 'a call', 'heal', 'a timeout');
    expect(texts(worlds, again)).toEqual(['a→b ping(1)', 'a timeout']);
  });

  it('may lose messages in flight across it outside the budget, duplicates none, and delivers the rest after the heal', () => {
    const worlds = calling({ duplications: 1 });
    expect(texts(worlds, reach(worlds, 'a call'))).toEqual([
      'a→b ping(1)',
      'duplicate a→b ping(1)',
      'a timeout',
      'split b',
    ]);
    expect(texts(worlds, reach(worlds, 'a call', 'split b'))).toEqual([
      'drop a→b ping(1)',
      'a timeout',
      'heal',
    ]);
    const dropped = reach(worlds, 'a call', 'split b', 'drop a→b ping(1)');
    expect([dropped.channels, dropped.remaining.losses]).toEqual([{}, 0]);
    expect(texts(worlds, reach(worlds, 'a call', 'split b', 'heal'))).toEqual([
      'a→b ping(1)',
      'duplicate a→b ping(1)',
      'a timeout',
    ]);
    const down = calling({ crashes: 1, losses: 1 });
    expect(texts(down, reach(down, 'a call', 'b crash', 'split b'))).toEqual([
      'drop a→b ping(1)',
      'a timeout',
      'heal',
    ]);
    expect(reach(down, 'a call', 'b crash', 'split b', 'drop a→b ping(1)').remaining.losses).toBe(
      1,
    );
  });

  it('runs on within its parts', () => {
    const worlds = new Worlds(calls, complete(3), { initiators: ['a', 'c'], partitions: 1 });
    const split = reach(worlds, 'split c', 'a call', 'c call');
    expect(split.channels).toEqual({ 'a→b': [{ type: 'ping', n: 1 }] });
    expect(texts(worlds, split)).toEqual(['a→b ping(1)', 'a timeout', 'c timeout', 'heal']);
  });
});

describe('a trace over a split', () => {
  const linesOf = (worlds: Worlds, ...steps: readonly string[]) => {
    const run = runLines(worlds, actionsTo(worlds, ...steps));
    const { protocol, topology } = worlds;
    expect(replay(protocol, topology, { header: new Map(), lines: run.lines })).toEqual({
      steps: run.lines.length,
    });
    return { text: linesText(run.lines), places: run.firstLines, lines: run.lines };
  };

  it('has a line for each channel that is cut or healed and each message that it loses, like a trace of a simulation', () => {
    const { text, places } = linesOf(
      calling(),
      'split b',
      'a call',
      'heal',
      'a timeout',
      'a→b ping(1)',
    );
    const timer = 'ring.(machine).calling';
    const expected = `
      b  cut from a
      a  cut from b
      a  call             idle → calling  ⇒ b: ping(1), start ${timer} 10ms
      b  drop ping(1) from a
      b  heal from a
      a  heal from b
      a  timeout ${timer}  calling  ⇒ b: ping(1), start ${timer} 10ms
      b  ping(1) from a   idle            ⇒ a: pong(1)
    `;
    expect(text).toBe(linesText(parseTrace(expected).lines));
    expect(places).toEqual([0, 2, 4, 6, 7]);
  });

  it('lists only the channels across the split', () => {
    const worlds = new Worlds(centralLock, star(3), { partitions: 1 });
    expect(linesOf(worlds, 'split c', 'heal').text).toBe(
      'c  cut from a\na  cut from c\nc  heal from a\na  heal from c\n',
    );
    expect(linesOf(worlds, 'split b c').lines).toHaveLength(4);
  });

  it('marks the lost messages of a step with choices', () => {
    const worlds = new Worlds(cards, complete(3), { initiators: ['a'], partitions: 1 });
    const start = ['a chooses 1', 'b chooses 1', 'c chooses 1'];
    const { lines } = linesOf(
      worlds,
      ...start,
      'split c',
      'a play',
      'a chooses high',
      'a chooses ace',
      'a chooses left',
    );
    const drops = lines
      .filter(({ event }) => event.kind === 'drop')
      .map((line) => linesText([line]).trimEnd());
    expect(drops).toEqual([
      'c  drop drew(high) from a',
      'c  drop drew(ace) from a',
      'c  drop drew(left) from a',
    ]);
    const lost = matchMessages({ header: new Map(), lines }).flatMap(({ call, sent, lost }) =>
      lost.map((line) => [call, line - sent]),
    );
    expect(lost).toEqual([
      ['drew(high)', 1],
      ['drew(ace)', 1],
      ['drew(left)', 1],
    ]);
  });
});

it('an exploration with a split refutes the liveness of a lock, not its safety', () => {
  const found = explore(centralLock, star(3), { partitions: 1 });
  expect(found.complete).toBe(true);
  expect(finding(found, 'at most one holds').verdict).toBe('holds');
  expect(finding(found, 'a node holds').verdict).toBe('reached');
  const { verdict, trace, loopsFrom } = finding(found, 'a waiting node enters');
  expect(verdict).toBe('violated');
  expect(kinds(found, 'a waiting node enters')).toContain('cut');
  expect(kinds(found, 'a waiting node enters')).not.toContain('heal');
  expect(loopsFrom).toBe(trace?.lines.length); // the run stops, though a heal would help
  expect(trace && replay(centralLock, star(3), trace)).toEqual({ steps: loopsFrom });
  const whole = explore(centralLock, star(3), {});
  expect(finding(whole, 'a waiting node enters').verdict).toBe('holds');
  expect(whole.states).toBeLessThan(found.states);
});
