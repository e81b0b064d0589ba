import type { Protocol } from '@conclave/core/protocol';
import { type AnyStateMachine, createMachine, type UnknownMachineConfig } from 'xstate';

/** `protocol` with another machine in one of its roles: for known-wrong versions. */
export function withMachine(protocol: Protocol, machine: AnyStateMachine, name = 'node'): Protocol {
  const role = protocol.roles[name];
  if (!role) throw new Error(`${protocol.name} has no role '${name}'`);
  return { ...protocol, roles: { ...protocol.roles, [name]: { ...role, machine } } };
}

type Config = Readonly<Record<string, unknown>>;

/** `machine` with some fields of the state at `path` replaced, such as what it does `on` its events: for rules that are dropped or other ones. */
export function withState<M extends AnyStateMachine>(machine: M, path: readonly string[], fields: Config): AnyStateMachine {
  const { actions, guards, delays } = machine.implementations;
  return createMachine(changedAt(machine.config, path, fields) as UnknownMachineConfig, { actions, guards, delays }); // as it was, but for that
}

function changedAt(config: Config, [key, ...inner]: readonly string[], fields: Config): Config {
  if (key === undefined) return { ...config, ...fields };
  const states = config.states as Readonly<Record<string, Config>> | undefined; // what XState's config is made of
  const state = states?.[key];
  if (!state) throw new Error(`there is no state '${key}'`);
  return { ...config, states: { ...states, [key]: changedAt(state, inner, fields) } };
}
