/**
 * Protocols and machines that differ in one place: known-wrong versions, and fewer properties. And
 * what a machine does on several events.
 */
import { step } from '@conclave/core/internal';
import type { LocalState, Property, Protocol } from '@conclave/core/protocol';
import {
  type AnyStateMachine,
  createMachine,
  type EventObject,
  type UnknownMachineConfig,
} from 'xstate';

/** `protocol` with another machine for one role: a known-wrong version. */
export function withMachine(protocol: Protocol, machine: AnyStateMachine, name = 'node'): Protocol {
  const role = protocol.roles[name];
  if (!role) throw new Error(`${protocol.name} has no role '${name}'`);
  return { ...protocol, roles: { ...protocol.roles, [name]: { ...role, machine } } };
}

/** Known-wrong versions of `protocol`: what refutes each, and its machine. */
export const mutantOf =
  (protocol: Protocol, role?: string) => (refuted: string, machine: AnyStateMachine) => ({
    protocol: withMachine(protocol, machine, role),
    refuted,
  });

type Config = Readonly<Record<string, unknown>>;

/**
 * `machine` with some fields of the state at `path` replaced, such as `on`: for dropped or changed
 * rules.
 */
export function withState<M extends AnyStateMachine>(
  machine: M,
  path: readonly string[],
  fields: Config,
): AnyStateMachine {
  const { actions, guards, delays } = machine.implementations;
  return createMachine(changedAt(machine.config, path, fields) as UnknownMachineConfig, {
    actions,
    guards,
    delays,
  }); // unchanged except for these fields
}

function changedAt(config: Config, [key, ...inner]: readonly string[], fields: Config): Config {
  if (key === undefined) return { ...config, ...fields };
  // the form of XState's config
  const states = config.states as Readonly<Record<string, Config>> | undefined;
  const state = states?.[key];
  if (!state) throw new Error(`there is no state '${key}'`);
  return { ...config, states: { ...states, [key]: changedAt(state, inner, fields) } };
}

/**
 * The properties except those of single steps. Any fault violates some of these first, which says
 * little about its consequences.
 */
export const ofWholes = (properties: readonly Property[]): readonly Property[] =>
  properties.filter(({ kind }) => kind !== 'everyStep');

/** `protocol` with {@link ofWholes} only: for tests of the consequences of faults. */
export const withoutSteps = <P extends Pick<Protocol, 'properties'>>(protocol: P): P => ({
  ...protocol,
  properties: ofWholes(protocol.properties),
});

/** The machine with a leader that has terminated before its announcement returns. */
export const withHastyLeader = (machine: AnyStateMachine, leader = 'leader'): AnyStateMachine =>
  withState(withState(machine, [leader], { initial: 'known' }), [leader, 'known'], {
    on: { elected: {} },
  });

/** What a node is after these events, one after the other, and the effects of the last one. */
export const takeAll = (
  machine: AnyStateMachine,
  id: string,
  state: LocalState,
  events: readonly EventObject[],
): ReturnType<typeof step> =>
  events.reduce<ReturnType<typeof step>>((taken, event) => step(machine, id, taken.state, event), {
    state,
    effects: [],
  });
