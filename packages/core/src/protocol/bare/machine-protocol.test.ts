/**
 * Machines as people publish them, without a change: drawn, stepped, checked. What the explorer
 * finds is held against a search of our own by the pure functions of XState on the machine itself.
 */

import { explore } from '@conclave/check';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it, vi } from 'vitest';
import {
  type AnyMachineSnapshot,
  assign,
  createMachine,
  emit,
  enqueueActions,
  fromPromise,
  initialTransition,
  setup,
  transition,
} from 'xstate';
import { canonical } from '../../../../check/src/worlds/canonical.js';
import { chart } from '../../chart/index.js';
import { complete } from '../../topology/generators.js';
import { optionalCommands } from '../commands.js';
import type { NodeView } from '../property.js';
import type { CommandShape, Role } from '../protocol.js';
import { fire, type LocalState, start, step, takes } from '../step.js';
import type { Bare } from './corpus/bare.contract.js';
import { devices } from './corpus/devices.contract.js';
import { fetching } from './corpus/fetching.contract.js';
import { screens } from './corpus/screens.contract.js';
import { machineProtocol } from './machine-protocol.js';
import { actorsField } from './modelled.js';

const corpus: readonly (readonly [string, Bare])[] = Object.entries({
  ...screens,
  ...fetching,
  ...devices,
});
const accepted = corpus.filter(([, { refused }]) => refused === undefined);
const isSmall = ([name]: readonly [string, Bare]) => name !== 'ticTacToe';

const protocolOf = ({ machine, refused: _r, fails: _f, isLive: _l, ...beside }: Bare) =>
  machineProtocol(machine, beside);
const keyOf = (
  value: unknown,
  { [actorsField]: _, ...context }: Readonly<Record<string, unknown>>,
) => canonical([value, context]);

/** All that can be reached, by XState alone; an actor may end while its state is active. */
function reachedByXState(bare: Bare): ReadonlySet<string> {
  const { machine } = bare;
  const events = optionalCommands(protocolOf(bare));
  const first = initialTransition(machine, bare.input)[0];
  const found = new Map<string, AnyMachineSnapshot>([[keyOf(first.value, first.context), first]]);
  const mayCome = ({ _nodes }: AnyMachineSnapshot, type: string) => {
    const [, actor] = /^xstate\.(?:done\.actor|error\.actor|snapshot)\.(.*)$/.exec(type) ?? [];
    return (
      actor === undefined || _nodes.some(({ invoke }) => invoke.some(({ id }) => id === actor))
    );
  };
  for (const snapshot of found.values()) {
    const timers = snapshot._nodes.flatMap(({ transitions }) =>
      [...transitions.keys()].filter((type) => type.startsWith('xstate.after.')),
    );
    for (const event of [...events, ...timers.map((type) => ({ type }))]) {
      if (!mayCome(snapshot, event.type)) continue;
      const [next] = transition(machine, snapshot, event);
      const key = keyOf(next.value, next.context);
      if (!found.has(key)) found.set(key, next);
    }
  }
  return new Set(found.keys());
}

/** By the steps that the explorer takes; `worlds`: how many local states there are. */
function reachedBySteps(bare: Bare) {
  const { roles, commands, ...protocol } = protocolOf(bare);
  const { machine } = roles.node as Role;
  const events = optionalCommands({ roles, commands, ...protocol });
  const found = new Map<string, LocalState>();
  const add = (state: LocalState) =>
    found.set(JSON.stringify(state), found.get(JSON.stringify(state)) ?? state);
  add(start(machine, 'a', bare.input ?? null).state);
  for (const state of found.values()) {
    for (const event of events) {
      const { when = () => true } = commands[event.type] as CommandShape;
      const view = { ...state, tags: new Set(state.tags) } as unknown as NodeView; // what `when` reads
      if (takes(machine, state, event) && when(view)) add(step(machine, 'a', state, event).state);
    }
    for (const { id } of state.timers) add(fire(machine, 'a', state, id).state);
  }
  const keys = [...found.values()].map(({ value, context }) => keyOf(value, context));
  return { reached: new Set(keys), worlds: found.size };
}

describe('a bare machine', () => {
  it.each(quickOf(accepted, isSmall))('%s is drawn, stepped and checked', (_, bare) => {
    expect(chart(bare.machine)).toContain('stateDiagram');
    const found = explore(protocolOf(bare), complete(1), { commands: 'unlimited' });
    const failing = found.properties.find(({ verdict }) => verdict === 'violated');
    expect(failing?.reason ?? '').toMatch(bare.fails ?? /^$/);
    if (!bare.fails)
      expect([found.complete, found.states]).toEqual([true, reachedBySteps(bare).worlds]);
  });

  it.each(quickOf(accepted, isSmall).filter(([, { fails, isLive }]) => !fails && !isLive))(
    '%s reaches what XState reaches',
    (_, bare) => {
      vi.spyOn(console, 'warn').mockImplementation(() => {}); // of actors without logic
      const { reached } = reachedBySteps(bare);
      expect([...reached].sort()).toEqual([...reachedByXState(bare)].sort());
    },
  );

  it('is refused where its context has the field that says which actors run', () => {
    const machine = createMachine({
      context: { [actorsField]: 1 },
      invoke: { src: 'load', id: 'l' },
    });
    expect(() => machineProtocol(machine)).toThrow(/runningActors.*Rename the field\./);
  });

  it('assumes nothing of effects beyond those that enqueueActions names when it runs', () => {
    const machine = setup({ types: {} as { context: { n: number } } }).createMachine({
      context: { n: 0 },
      on: {
        go: {
          actions: enqueueActions(({ context, enqueue }) => {
            enqueue.assign({ n: Math.min(context.n + 1, 600) });
            if (context.n === 600) enqueue(function ping() {});
            enqueue(function pong() {});
          }),
        },
      },
    });
    const protocol = machineProtocol(machine);
    expect(protocol.assumes?.join()).toMatch('effect pong'); // the first look ends before
    expect(explore(protocol, complete(1), { commands: 'unlimited' }).assumptions).toEqual([
      'that the effects ping, pong change nothing that the machine reads',
    ]);
  });

  it('says that it gets no input, where its context would read one', () => {
    const machine = createMachine({ context: ({ input }) => ({ ...Object(input) }) });
    expect(machineProtocol(machine).assumes).toEqual([
      'that it gets no input: export const input = { … } gives it one',
    ]);
    expect(machineProtocol(machine, { input: { n: 1 } }).assumes).toEqual([]);
  });

  it('asks once for an actor that two states invoke, and for each part of it that is read', () => {
    const load = {
      src: 'load',
      onDone: { actions: 'keep' },
      onSnapshot: { actions: 'watch' },
    } as const;
    const machine = setup({
      types: {} as { context: { last: number } },
      actors: { load: fromPromise(async () => ({ code: 1 })) },
      actions: {
        keep: assign(({ event }) => ({ last: Object(event).output.code })),
        watch: assign(({ event }) => ({ last: Object(event).snapshot.context.code })),
      },
    }).createMachine({
      context: { last: 0 },
      initial: 'first',
      states: { first: { invoke: load, on: { go: 'second' } }, second: { invoke: load } },
    });
    expect(() => machineProtocol(machine)).toThrow(
      /: it reads the output of load; the snapshot of load, and .*\{ load: \{ output: \[…\], snapshot: \[…\] \} \}\.$/,
    );
  });

  it('asks for fields of events along with the input without which it does not start', () => {
    const machine = setup({
      types: {} as {
        input: { store: { names: string[] } };
        context: { names: string[] };
        events: { type: 'add'; name: string };
      },
    }).createMachine({
      context: ({ input }) => ({ names: input.store.names }),
      on: {
        add: {
          actions: assign({ names: ({ context, event }) => [...context.names, event.name] }),
        },
      },
    });
    expect(() => machineProtocol(machine)).toThrow(/it reads store of its input; name of add, and/);
  });

  it('may emit an event as it came: that reads no field of it', () => {
    const machine = createMachine({ on: { go: { actions: emit(({ event }) => event) } } });
    expect(Object.keys(machineProtocol(machine).commands)).toEqual(['go']);
  });

  it('is drawn although it cannot be checked', () => {
    const machine = createMachine({
      context: ({ input }) => ({ seen: new Map([[Object(input).id, 1]]) }),
    });
    expect(machineProtocol(machine, {}, { asks: false }).drawn).toEqual({ node: machine });
  });

  it('says that an invoked machine is any actor, and how to check both', () => {
    const child = createMachine({ id: 'child' });
    const named = setup({ actors: { child } }).createMachine({ invoke: { src: 'child' } });
    const inline = createMachine({ id: 'parent', invoke: { id: 'kid', src: child } });
    const assumed = [named, inline].map((machine) => machineProtocol(machine).assumes?.join());
    expect(assumed).toEqual([
      expect.stringContaining('what machine, child send each other is taken before any other'),
      expect.stringContaining('what parent, kid send each other is taken before any other'),
    ]);
  });

  it('is searched as a whole: the positions of tic-tac-toe', () => {
    const protocol = protocolOf(devices.ticTacToe as Bare);
    const { states } = explore(protocol, complete(1), { commands: 'unlimited' });
    expect(states).toBe(5478); // well known
  });

  it.each(corpus.filter(([, { refused }]) => refused !== undefined))('%s is refused', (_, bare) => {
    const check = () => explore(protocolOf(bare), complete(1), { commands: 'unlimited' });
    expect(check).toThrow(bare.refused);
  });
});
