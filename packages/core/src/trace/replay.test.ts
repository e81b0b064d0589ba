import { describe, expect, it } from 'vitest';
import { createMachine, emit } from 'xstate';
import { calls, cards, centralLock, withMachine } from '../protocol/examples.contract.js';
import { send } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import { simulate } from '../simulation/simulate.js';
import { closedLoop } from '../simulation/workload.js';
import { complete, star } from '../topology/generators.js';
import type { Topology } from '../topology/topology.js';
import { parseTrace } from './parse.js';
import { replay } from './replay.js';
import { traceText } from './trace.js';

const again = (text: string, protocol: Protocol = calls, topology: Topology = complete(2)) =>
  replay(protocol, topology, parseTrace(text));

const ring = 'ring.(machine).calling';
const called = `a  call  idle → calling  ⇒ b: ping(1), start ${ring} 10ms`;
const pinged = 'b  ping(1) from a  idle  ⇒ a: pong(1)';
const answered = `a  pong(1) from b  calling → idle  ⇒ cancel ${ring}, notify answered`;
const rang = `a  timeout ${ring}  calling  ⇒ b: ping(1), start ${ring} 10ms`;
const lines = (...texts: readonly string[]) => texts.join('\n');

describe('a replay', () => {
  it('repeats a trace step by step', () => {
    expect(again(lines(called, pinged, answered))).toEqual({ steps: 3 });
    expect(again('')).toEqual({ steps: 0 });
  });

  it('reports the transitions that XState takes in each step of a node', () => {
    const told: (readonly [number, string])[] = [];
    const text = lines(
      called,
      'b  duplicate ping(1) from a',
      pinged,
      'b  drop ping(1) from a',
      answered,
    );
    replay(calls, complete(2), parseTrace(text), (step, transitions) => {
      for (const { eventType } of transitions) told.push([step, eventType]);
    });
    expect(told).toEqual([
      [0, 'call'],
      [2, 'ping'],
      [4, 'pong'],
    ]);
  });

  it('may stop anywhere between two steps', () => {
    expect(again(lines(called, pinged))).toEqual({ steps: 2 });
  });

  it('does not compare times', () => {
    expect(again(lines(`3.000ms  ${called}`, `1.000ms  ${pinged}`))).toEqual({ steps: 2 });
  });

  it('repeats losses, duplications, cuts, timeouts, crashes and restarts', () => {
    const found = again(
      lines(
        called,
        'b  duplicate ping(1) from a',
        pinged,
        'b  drop ping(1) from a',
        'b  cut from a',
        'b  heal from a',
        rang,
        'a  crash',
        'a  drop pong(1) from b',
        'a  restart  idle',
        called.replace('ping(1)', 'ping(2)'),
      ),
    );
    expect(found).toEqual({ steps: 11 });
  });

  it('repeats choices, with the answers of the trace', () => {
    const text = lines(
      'a  start  ⇒ choose 1 | 2',
      'a  chosen 2  ⇒ b: drew(2)',
      'b  drop drew(2) from a',
      'b  start  ⇒ choose 1 | 2',
      'b  chosen 1  ⇒ a: drew(1)',
      'a  play  ⇒ choose high | low, choose left | right',
      'a  chosen high  ⇒ b: drew(high), choose king | ace',
      'b  drop drew(high) from a',
      'a  chosen ace  ⇒ b: drew(ace)',
      'a  chosen right  ⇒ b: drew(right)',
      'b  drew(right) from a',
    );
    expect(again(text, cards)).toEqual({ steps: 11 });
  });

  it('finds no divergence in a run of many steps', () => {
    const workload = closedLoop({ entries: 20, nodes: ['b', 'c', 'd'] });
    const { trace } = simulate({
      protocol: centralLock,
      topology: star(4),
      workload,
      record: true,
    });
    if (!trace) throw new Error('record: true brings a trace');
    expect(again(traceText(trace), centralLock, star(4))).toEqual({ steps: 20 * 3 * 5 });
  });
});

describe('the first divergence', () => {
  it.each([
    ['an effect', called.replace('ping(1)', 'ping(2)'), called],
    ['a missing effect', called.replace(`, start ${ring} 10ms`, ''), called],
    ['a delay', called.replace('10ms', '11ms'), called],
    ['the state after', called.replace('calling', 'busy').replace('busy  ⇒', 'busy  ⇒'), called],
    ['the state before', called.replace('idle', 'asleep'), called],
  ])('shows both versions: %s', (_what, tampered, found) => {
    expect(again(lines(tampered, pinged))).toEqual({
      steps: 0,
      divergence: { step: 1, expected: tampered, found },
    });
  });

  it('is counted from 1, and ends the comparison', () => {
    const { steps, divergence } = again(
      lines(called, pinged.replace('pong(1)', 'pong(7)'), 'what  is  this'),
    );
    expect([steps, divergence]).toEqual([
      1,
      { step: 2, expected: pinged.replace('pong(1)', 'pong(7)'), found: pinged },
    ]);
  });

  it('may be a start with effects that the trace lacks', () => {
    const greeting = withMachine(
      calls,
      createMachine({
        entry: emit(send('b', { type: 'ping', n: 1 } as { type: string })),
        on: { ping: {} },
      }),
    );
    const { steps, divergence } = again('', greeting, complete(2));
    expect([steps, divergence?.expected, divergence?.found]).toEqual([
      0,
      '(the trace ends)',
      expect.stringMatching(/^a {2}start .*⇒ b: ping\(1\)$/),
    ]);
  });

  it('may be a choice without an answer in the trace', () => {
    const { trace } = simulate({ protocol: cards, topology: complete(2), record: true });
    if (!trace) throw new Error('record: true brings a trace');
    const cut = replay(cards, complete(2), { ...trace, lines: trace.lines.slice(0, 1) });
    expect(cut).toMatchObject({
      steps: 1,
      divergence: {
        step: 2,
        expected: '(the trace ends)',
        found: expect.stringContaining('a  chosen 1'),
      },
    });
    const without = replay(cards, complete(2), { ...trace, lines: trace.lines.toSpliced(1, 1) });
    expect(without).toMatchObject({
      steps: 1,
      divergence: { step: 2, expected: expect.stringContaining('b  start') },
    });
  });

  it('ends the replay of a machine that chooses again and again', () => {
    const stubborn = createMachine({
      entry: emit({ type: 'choose', options: [1, 2] }),
      on: { chosen: { actions: emit({ type: 'choose', options: [1, 2] }) }, play: {}, drew: {} },
    });
    expect(again('', withMachine(cards, stubborn)).divergence?.found).toMatch(/^a {2}start/);
    expect(
      again('a  start  ⇒ choose 1 | 2', withMachine(cards, stubborn)).divergence,
    ).toBeDefined();
  });
});

describe('an impossible line is a divergence, too', () => {
  it.each([
    ['a node that is not there', ['z  call  idle → calling'], "the network has no node 'z'"],
    [
      'a command that the state does not handle',
      [called, 'a  call  calling'],
      "a does not take 'call' here",
    ],
    [
      'a message that was not sent',
      ['b  ping(1) from a  idle'],
      "no 'ping(1)' is in flight from a to b",
    ],
    [
      'a message that has already arrived',
      [called, pinged, pinged],
      "no 'ping(1)' is in flight from a to b",
    ],
    [
      'the loss of a message that was not sent',
      ['b  drop ping(1) from a'],
      "no 'ping(1)' is in flight from a to b",
    ],
    [
      'the duplication of a message that was not sent',
      ['b  duplicate ping(1) from a'],
      "no 'ping(1)' is in flight from a to b",
    ],
    [
      'a message from an unknown node',
      ['b  ping(1) from z  idle'],
      "no 'ping(1)' is in flight from z to b",
    ],
    [
      'a timer that is not armed',
      [`a  timeout ${ring}  calling`],
      `a has no armed timer '${ring}'`,
    ],
    [
      'a timer that has been cancelled',
      [called, pinged, answered, rang],
      `a has no armed timer '${ring}'`,
    ],
    [
      'a timer that has fired',
      [called, rang, `a  timeout ${ring}  calling → idle  ⇒ notify gave-up(2)`, rang],
      `a has no armed timer '${ring}'`,
    ],
    [
      'a timer of a crashed node',
      [called, 'a  crash', 'a  restart  idle', rang],
      `a has no armed timer '${ring}'`,
    ],
    ['a step of a crashed node', [called, 'b  crash', pinged], 'b has crashed'],
    ['a command to a crashed node', ['b  crash', 'b  call  idle → calling'], 'b has crashed'],
    ['a second crash', ['b  crash', 'b  crash'], 'b has crashed already'],
    ['a restart without a crash', ['b  restart  idle'], 'b has not crashed'],
    ['a cut of a missing channel', ['b  cut from z'], 'there is no channel from z to b'],
    ['a heal of a missing channel', ['b  heal from b'], 'there is no channel from b to b'],
    ['a start in the middle', [called, 'b  start  idle'], "'start' does not happen by itself"],
    ['a choice without options', ['a  chosen 1  idle'], "'chosen' does not happen by itself"],
  ])('%s', (_what, texts, why) => {
    expect(again(lines(...texts))).toEqual({
      steps: texts.length - 1,
      divergence: { step: texts.length, expected: texts.at(-1), found: `cannot happen: ${why}` },
    });
  });

  it('an answer that is not an option', () => {
    const { trace } = simulate({ protocol: cards, topology: complete(2), record: true });
    if (!trace) throw new Error('record: true brings a trace');
    const tampered = parseTrace(
      traceText(trace)
        .replace(/chosen [12]/, 'chosen 3')
        .replace(/drew\([12]\)/, 'drew(3)'),
    );
    expect(replay(cards, complete(2), tampered)).toMatchObject({
      steps: 1,
      divergence: { step: 2, found: 'cannot happen: 3 is none of 1, 2' },
    });
  });

  it('except for a command that the protocol does not have', () => {
    expect(() => again('a  shout  idle')).toThrow(
      expect.objectContaining({
        code: 'bad-trace',
        message: "'shout' is none of call. Is the trace one of this protocol and version?",
      }),
    );
    expect(again(lines(called, 'b  pung(1) from a  idle')).divergence?.found).toBe(
      "cannot happen: no 'pung(1)' is in flight from a to b",
    );
  });

  it('a message to a node that is not a neighbour', () => {
    const lost = withMachine(
      calls,
      createMachine({
        on: { call: { actions: emit(send('z', { type: 'ping', n: 1 } as { type: string })) } },
      }),
    );
    expect(again('a  call  ⇒ z: ping(1)', lost).divergence?.found).toBe(
      'cannot happen: a has no channel to z',
    );
  });

  it('except for an unsuitable network', () => {
    expect(() => again('', calls, star(3))).toThrow(
      expect.objectContaining({ code: 'bad-topology' }),
    );
  });
});
