/**
 * The start-up of A9: an echo wave (C2) from the holder of the token tells each node where its
 * edges point. Rules AG9–AG11: README.md
 */
import { type AnyStateMachine, createMachine, stateIn, type UnknownMachineConfig } from 'xstate';
import { region } from '../../../composition/region.js';
import { part as echo } from '../../../waves/echo/echo.js';
import { context } from './actions.js';
import { type Onward, starting } from './acyclic-graph.js';

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
