/** What the locks with the option `greedy` have in common. */
import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { type LocalState, overtaken, type Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, EventObject } from 'xstate';
import { everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { takeAll } from '../../../contract/machines.contract.js';

interface Greedy {
  readonly make: (options: { readonly greedy: number }) => Protocol;
  readonly topology: (n: number) => Topology;
  /** With `greedy: 1`. */
  readonly states: readonly (readonly [nodes: number, budget: ExploreOptions, states: number])[];
}

/** Messages that take no time, and stays that do: requests arrive before their holder leaves. */
const time = { kind: 'exact', delay: [0, 0], stays: { critical: [1, 1] } } as const;

export function greedyContract({ make, topology, states }: Greedy): void {
  const protocol = make({ greedy: 1 });
  const { node: role } = protocol.roles;
  if (!role) throw new Error(`${protocol.name} has no role 'node'`);
  const machine: AnyStateMachine = role.machine;

  describe(`${protocol.name} rules with greedy`, () => {
    const pair = topology(2);
    const [acquire, release] = [{ type: 'acquire' }, { type: 'release' }];
    const first = (id: string): LocalState => start(machine, id, role.input(id, pair)).state;
    const after = (id: string, state: LocalState, ...events: readonly EventObject[]) =>
      takeAll(machine, id, state, events);
    const fence = ({ context, tags, value }: LocalState) =>
      protocol.fence?.({
        id: 'a',
        role: 'node',
        crashed: false,
        context,
        tags: new Set(tags),
        value,
      });
    const asked = (): EventObject & { readonly from: string } => {
      const [request] = after('b', first('b'), acquire).effects;
      if (request?.type !== 'send') throw new Error('b sends no request');
      return { ...request.message, from: 'b' };
    };
    /** Node a has left, and b waits for the token. */
    const keeping = () => after('a', first('a'), acquire, asked(), release);
    const turnOf = (of: ReturnType<typeof keeping>): EventObject => {
      const [started] = of.effects.filter(({ type }) => type === 'start');
      if (started?.type !== 'start') throw new Error('no timer runs');
      return started.timer.event;
    };

    it('[GR1] a node that leaves while others wait keeps the token for a turn, as long as it may enter before them', () => {
      const { state, effects } = keeping();
      expect(state.value).toBe('keeping');
      expect(effects).toMatchObject([{ type: 'start', timer: { delay: 0 } }]);
      const again = after('a', state, acquire, release);
      expect(
        again.effects.flatMap((effect) => (effect.type === 'send' ? [effect.to] : [])),
      ).toEqual(['b']);
      expect(again.state.value).not.toBe('keeping');
    });

    it('[GR2] a node that requests entry in that turn enters at once, with the next fencing token', () => {
      const { state } = keeping();
      const again = after('a', state, acquire);
      expect(again.state.value).toBe('held');
      expect(again.effects).toMatchObject([{ type: 'cancel' }]);
      expect(Number(fence(again.state)) - Number(fence(state))).toBe(1);
    });

    it('[GR3] at the end of that turn the token goes to a node that waits', () => {
      const kept = keeping();
      const { effects, state } = after('a', kept.state, turnOf(kept));
      expect(effects.filter(({ type }) => type === 'send')).toMatchObject([
        { to: 'b', message: { type: 'token' } },
      ]);
      expect(state.tags).not.toContain('token');
    });
  });

  describe(`${protocol.name} with greedy`, () => {
    everyInterleavingOfVariant(
      protocol,
      states.map(([n, budget, count]) => [topology(n), budget, count]),
    );

    it('each other node enters at most k + 1 times while a node waits, and k is not enough', () => {
      for (const greedy of [1, 2]) {
        const { complete, properties } = explore(make({ greedy }), topology(2), {
          commands: greedy + 1,
          time,
          properties: [overtaken(greedy), overtaken(greedy + 1)],
        });
        expect(complete).toBe(true);
        expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['violated', 'holds']);
      }
    });

    proof('under load k + 1 entries share the messages of one, and few more', () => {
      const messages = (greedy: number) => {
        const result = simulate({
          protocol: make({ greedy }),
          topology: topology(5),
          properties: [],
          workload: closedLoop({ entries: 200, think: { kind: 'fixed', ms: 0 } }),
          conditions: { order: 'any', delay: { kind: 'uniform', least: 1, most: 30 } },
        });
        expect(result.exclusion.entries).toHaveLength(1_000);
        return totalMessages(result);
      };
      for (const greedy of [1, 9])
        expect((messages(greedy) * (greedy + 1)) / messages(0)).toBeLessThan(2.5);
    });
  });
}
