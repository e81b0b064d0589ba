/**
 * The start-up of A9: an echo wave (C2) from the holder of the token tells each node where its
 * edges point. Rules AG9–AG11: README.md
 */
import {
  type AnyStateMachine,
  and,
  createMachine,
  stateIn,
  type UnknownMachineConfig,
} from 'xstate';
import { region } from '../../../composition/region.js';
import { part as echo } from '../../../waves/echo/echo.js';
import { context, node } from './acyclic-graph.js';

/** Where the token goes on, and how it leaves: these depend on the variant. */
interface Onward {
  readonly passing: 'released.passing' | 'released.settling';
  readonly passToken: 'passToken' | 'passTokenAndRemember';
}

/** A node that does not know its edges. Its part in the wave is one more region: start-up.ts. */
const starting = ({ passing, passToken }: Onward) =>
  node.createStateConfig({
    type: 'parallel',
    always: [
      {
        guard: and(['waveIsOver', 'queueIsEmpty']),
        target: 'released.away',
        actions: 'orient',
        description: 'AG10',
      },
      {
        guard: and(['waveIsOver', 'isHolder', 'ownTurn']),
        target: 'held',
        actions: ['orient', 'enter'],
        description: 'AG5, AG10',
      },
      {
        guard: and(['waveIsOver', 'isHolder', 'isWaiting']),
        target: 'wanted',
        actions: ['orient', passToken, 'ask'],
        description: 'AG4, AG10',
      },
      {
        guard: and(['waveIsOver', 'isHolder']),
        target: passing,
        actions: 'orient',
        description: 'AG4, AG10',
      },
      {
        guard: and(['waveIsOver', 'isWaiting']),
        target: 'wanted',
        actions: ['orient', 'ask'],
        description: 'AG1, AG10',
      },
      {
        guard: 'waveIsOver',
        target: 'released.asked',
        actions: ['orient', 'ask'],
        description: 'AG2, AG10',
      },
    ],
    on: { request: { actions: 'enqueue', description: 'AG11' } },
    states: {
      token: {
        initial: 'elsewhere',
        states: {
          elsewhere: {
            always: { guard: 'isHolder', target: 'here', actions: 'startWave', description: 'AG9' },
          },
          here: { tags: 'token' },
        },
      },
      application: {
        id: 'application',
        initial: 'idle',
        states: {
          idle: {
            on: { acquire: { target: 'waiting', actions: 'enqueueSelf', description: 'AG11' } },
          },
          waiting: { tags: 'waiting' },
        },
      },
      edges: { on: { 'wave-explorer': { actions: 'noteHeight', description: 'AG9' } } },
    },
  });

/** A node that does not know its edges at first. The wave is a region of its state `starting`. */
export function withWave(machine: AnyStateMachine, onward: Onward): AnyStateMachine {
  const wave = region('wave', echo);
  const { states, ...config } = machine.config;
  const first = starting(onward);
  const { actions, guards, delays } = machine.implementations;
  return createMachine(
    {
      ...config,
      context: (args: {
        readonly input: Parameters<typeof context>[0]['input'] & { readonly wave: unknown };
      }) => ({
        ...context(args),
        heights: {},
        wave: wave.context(args.input.wave),
      }),
      initial: 'starting',
      states: { starting: { ...first, states: { ...first.states, wave: wave.state } }, ...states },
    } as UnknownMachineConfig, // of the same form
    {
      actions: { ...actions, ...wave.implementations.actions },
      guards: {
        ...guards,
        ...wave.implementations.guards,
        waveIsOver: stateIn('#wave.green'),
        isWaiting: stateIn('#application.waiting'),
      },
      delays,
    },
  );
}
