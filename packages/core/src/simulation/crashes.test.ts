/** A crash in the middle of a step: when it falls, what is lost, and what is kept. */
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { cards, leader, leaders, withMachine } from '../protocol/examples.contract.js';
import { send } from '../protocol/node.js';
import { always, type NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import { replay } from '../trace/replay.js';
import { linesText } from '../trace/trace.js';
import { crashOf, down, electing, inside, linesOf, seeds, unsentIn } from './crashes.contract.js';
import type { SimulationOptions } from './options.js';
import type { SimulationResult } from './result.js';
import { Simulation, simulate } from './simulate.js';
import { idleFor, oneShot } from './workload.js';

/** The same, and a node stores how often it led. */
const stable: Protocol = {
  ...leaders,
  roles: {
    node: {
      ...leaders.roles.node,
      machine: leader,
      stable: ['stored'],
      input: leaders.roles.node?.input ?? (() => ({})),
    },
  },
};

const leaderOf = ({ context }: NodeView) => context.leader;
const textsOf = (result: SimulationResult) =>
  linesOf(result).map((line) => linesText([line]).trim().replaceAll(/ {2,}/g, '  '));
const agree = always(
  'all nodes know the same leader',
  ({ nodes }) => new Set(nodes.map(leaderOf).filter(Boolean)).size <= 1,
);

describe('a crash', () => {
  it('falls, as the seed decides, exactly at its time or in the middle of the next step', () => {
    const times = seeds(200).map(
      (seed) => crashOf(simulate({ ...electing, seed, faults: [down] }))?.time,
    );
    expect(new Set(times)).toEqual(new Set([5, 10]));
    const between = times.filter((time) => time === 5).length;
    expect(Math.abs(between - 100)).toBeLessThan(4 * Math.sqrt(50));
    for (const [chosen, time] of [
      [true, 10],
      [false, 5],
    ] as const)
      for (const seed of seeds(20))
        expect(
          crashOf(simulate({ ...electing, seed, faults: [{ ...down, inside: chosen }] }))?.time,
        ).toBe(time);
  });

  it('in the middle of a step shows two leaders, which one between two steps never does', () => {
    const violated = (given: boolean | undefined) =>
      seeds(100).filter((seed) => {
        const fault = {
          kind: 'crash',
          node: 'a',
          at: 10,
          ...(given !== undefined && { inside: given }),
        } as const;
        return (
          simulate({ ...electing, seed, properties: [agree], faults: [fault] }).violated !==
          undefined
        );
      }).length;
    expect(violated(undefined)).toBeGreaterThan(5);
    expect(violated(true)).toBeGreaterThan(violated(undefined));
    expect(violated(false)).toBe(0);
  });

  it('reads in a trace as the step, the crash, and what has not left the node', () => {
    const faults = [inside];
    const found =
      seeds(50).find(
        (seed) =>
          unsentIn(simulate({ ...electing, seed, faults })).join() === 'c mine(1),c mine(2)',
      ) ?? 0;
    const result = simulate({ ...electing, seed: found, faults });
    expect(textsOf(result)).toEqual([
      '10.000ms  a  lead  free → leading  ⇒ b: mine(1), c: mine(1), b: mine(2), c: mine(2)',
      '10.000ms  a  crash',
      '10.000ms  c  drop mine(1) from a',
      '10.000ms  c  drop mine(2) from a',
      '11.000ms  b  mine(1) from a  free → following',
      '11.000ms  b  mine(2) from a  following',
      '50.000ms  c  lead  free → leading  ⇒ a: mine(1), b: mine(1), a: mine(2), b: mine(2)',
      ...['51.000ms  a  drop mine(1) from c', '51.000ms  b  mine(1) from c  following'],
      ...['51.000ms  a  drop mine(2) from c', '51.000ms  b  mine(2) from c  following'],
    ]);
    // What has not left counts as nothing.
    expect(result).toMatchObject({
      messages: { mine: 6 },
      load: { a: { sent: 2 } },
      lost: 2,
      delivered: 4,
    });
  });

  proof('loses any part that its channels allow, each as often', () => {
    const counts = (order: 'fifo' | 'any', reliable = false) => {
      const found = new Map<string, number>();
      for (const seed of seeds(300)) {
        const protocol: Protocol = { ...leaders, channels: { ...leaders.channels, order } };
        const options = {
          protocol,
          seed,
          faults: [inside],
          reliable,
          conditions: { order },
          until: { time: 20 },
        };
        const part = unsentIn(simulate({ ...electing, ...options })).join();
        found.set(part, (found.get(part) ?? 0) + 1);
      }
      return found;
    };
    for (const [parts, size] of [
      [counts('fifo'), 9],
      [counts('any'), 16],
      [counts('any', true), 9], // a reliable link is fifo
    ] as const) {
      expect(parts.size).toBe(size);
      for (const count of parts.values())
        expect(Math.abs(count - 300 / size)).toBeLessThan(4 * Math.sqrt(300 / size));
    }
    expect([...counts('fifo').keys()]).not.toContain('b mine(1)');
  });

  it('of a node that takes no step comes when nothing else is to come; the time until the restart begins then', () => {
    const idle = { kind: 'crash', node: 'b', at: 60, inside: true, restartAfter: 7 } as const;
    expect(textsOf(simulate({ ...electing, faults: [idle] })).slice(-2)).toEqual([
      '60.000ms  b  crash',
      '67.000ms  b  restart  free',
    ]);
    const late = { ...idle, at: 5 };
    const all = textsOf(
      simulate({
        ...electing,
        workload: oneShot({ type: 'lead' }, { nodes: ['a'] }),
        faults: [late],
      }),
    );
    expect(all.slice(-2)).toEqual(['5.000ms  b  crash', '12.000ms  b  restart  free']);
    const perpetual: Protocol = { ...leaders, perpetual: true };
    const ended = simulate({
      ...electing,
      protocol: perpetual,
      workload: idleFor(70),
      faults: [{ ...idle, restartAfter: 0 }],
    });
    expect([ended.ended, textsOf(ended)]).toEqual([
      'quiescent',
      ['70.000ms  b  crash', '70.000ms  b  restart  free'],
    ]);
    const cut = simulate({
      ...electing,
      faults: [{ ...late, node: 'b' }],
      workload: idleFor(70),
      until: { time: 20 },
    });
    expect([cut.ended, textsOf(cut)]).toEqual(['time limit', []]);
  });

  it('keeps what the step has stored', () => {
    const faults = [{ ...inside, restartAfter: 3 }];
    const kept: unknown[] = seeds(10).map((seed) => {
      const simulation = new Simulation({ ...electing, protocol: stable, seed, faults });
      simulation.run();
      return simulation.system.node('a').context.stored;
    });
    expect(new Set(kept)).toEqual(new Set([1]));
  });

  it('that is due twice is one, and the later one says when the node restarts', () => {
    const crashes = (...faults: NonNullable<SimulationOptions['faults']>) =>
      textsOf(simulate({ ...electing, faults })).filter((line) => /crash|restart/.test(line));
    const [crash, restart] = ['10.000ms  a  crash', '14.000ms  a  restart  free'];
    expect(crashes(inside, { ...inside, at: 8, restartAfter: 4 })).toEqual([crash, restart]);
    expect(crashes({ ...inside, restartAfter: 4 }, { ...inside, at: 8 })).toEqual([crash]);
    expect(crashes(inside, { ...inside, inside: false, at: 8 })).toEqual(['8.000ms  a  crash']);
  });

  it('at 0 ms falls into the start, and may leave a choice without an answer', () => {
    const firsts = seeds(60).map((seed) => {
      const options = {
        protocol: cards,
        topology: complete(2),
        seed,
        record: true,
        faults: [{ ...inside, at: 0 }],
      } as const;
      const result = simulate(options);
      expect(result.trace && replay(cards, complete(2), result.trace)).toEqual({
        steps: linesOf(result).length,
      });
      return linesOf(result)
        .slice(0, 4)
        .map(({ node, event }) => `${node} ${event.kind}`)
        .join();
    });
    expect(new Set(firsts)).toEqual(
      new Set([
        'a start,a crash,b start,b chosen',
        'a start,a chosen,a crash,b drop',
        'a start,a chosen,b start,b chosen', // nothing is lost: it crashes after its start
      ]),
    );
  });

  it('does not hide a message that must not be sent', () => {
    const astray = leader.provide({
      actions: {
        announce: enqueueActions(({ enqueue }) =>
          enqueue.emit(send('z', { type: 'mine', round: 1 })),
        ),
      },
    });
    for (const host of ['compiled', 'actors'] as const)
      for (const seed of seeds(10))
        expect(
          simulate({
            ...electing,
            protocol: withMachine(leaders, astray),
            seed,
            host,
            faults: [inside],
          }).fault,
        ).toContain('to z, to which it has no channel');
  });

  it('changes no draw of a run in which it does not happen', () => {
    const conditions = { delay: { kind: 'exponential', mean: 5 } } as const;
    const plain = simulate({ ...electing, conditions });
    const spared = simulate({ ...electing, conditions, faults: [{ ...down, probability: 0 }] });
    expect(linesOf(spared)).toEqual(linesOf(plain));
  });
});
