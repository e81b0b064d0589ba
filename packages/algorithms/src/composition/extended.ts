import { ConclaveError } from '@conclave/core/protocol';
import { type AnyStateMachine, createMachine, type UnknownMachineConfig } from 'xstate';

type Config = Readonly<Record<string, unknown>>;

/**
 * `machine` with more states, and with more transitions in the states that it has: an option of a
 * protocol by addition, not by a copy.
 *
 * In a state that `machine` has, an added transition comes before those for the same event.
 * `states` has the form of XState's config; write its parts by `createStateConfig`, so that the
 * compiler checks the names of actions and guards.
 *
 * @param context further fields, with their initial values.
 * @throws {ConclaveError} `bad-protocol` for a state of `machine` with an addition other than `on`
 * and `states`.
 * @example extend('cancellable', machine, { wanted: { on: { cancel: 'withdrawn' } }, withdrawn: {
 * on: { … } } })
 */
export function extend(
  id: string,
  machine: AnyStateMachine,
  states: Readonly<Record<string, object>>,
  context: object = {},
): AnyStateMachine {
  const { actions, guards, delays } = machine.implementations;
  const own = machine.config.context;
  const initial = (args: Parameters<Extract<typeof own, (...args: never) => unknown>>[0]) => ({
    ...(typeof own === 'function' ? own(args) : own),
    ...context,
  });
  const config = {
    ...withStates(machine.config, statesOf(states), id),
    id,
    context: initial,
  } as UnknownMachineConfig; // a machine's config with states of the same form
  return createMachine(config, { actions, guards, delays });
}

function withStates(
  config: Config,
  added: Readonly<Record<string, Config>>,
  where: string,
): Config {
  const known = fieldsOf(config.states);
  const merged = Object.entries(added).map(([name, state]) => {
    const own = known[name];
    return [
      name,
      own === undefined ? state : withAdditions(fieldsOf(own), state, `${where}: ${name}`),
    ];
  });
  return { ...config, states: { ...known, ...Object.fromEntries(merged) } };
}

function withAdditions(config: Config, { on, states, ...others }: Config, where: string): Config {
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new ConclaveError(
      'bad-protocol',
      `${where}: '${other}' is added to a state that is there`,
      'Add transitions and states only.',
    );
  const known = fieldsOf(config.on);
  const choices = Object.entries(fieldsOf(on)).map(([event, first]) => [
    event,
    [first, known[event] ?? []].flat(),
  ]);
  const transitions = { ...known, ...Object.fromEntries(choices) };
  return withStates(
    on === undefined ? config : { ...config, on: transitions },
    statesOf(states),
    where,
  );
}

const fieldsOf = (value: unknown): Config => Object(value);
const statesOf = (states: unknown): Readonly<Record<string, Config>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(states)).map(([name, state]) => [name, fieldsOf(state)]),
  );
