import { ConclaveError } from '@conclave/core/protocol';
import { type AnyStateMachine, createMachine, type UnknownMachineConfig } from 'xstate';
import { region } from './region.js';

/**
 * `whole`, a machine of parallel regions, with each of `parts` as one more region: composition by statechart, not by copy.
 *
 * What joins them is the whole's own: it gives a part an event by `raise({ type: 'within-acquire' })`, and sees the state of the part by
 * `stateIn('#within.held')` or `region(…).has(tag)`. The input of a part is the field of its name in the input, its context that in the context.
 *
 * @throws {ConclaveError} `bad-protocol` as {@link region}, for a whole that has no parallel regions, and for a part with the name of one of these.
 * @example composed(setup({ … }).createMachine({ type: 'parallel', … }), { within: raymondMachine })
 */
export function composed(whole: AnyStateMachine, parts: Readonly<Record<string, AnyStateMachine>>): AnyStateMachine {
  const refuse = (what: string, cure: string) =>
    new ConclaveError('bad-protocol', `Machine '${whole.id}' cannot take ${Object.keys(parts).join(', ')} as regions: ${what}`, cure);
  if (whole.root.type !== 'parallel') throw refuse('it is not parallel itself', "Give it type: 'parallel'.");
  const regions = Object.entries(parts).map(([name, machine]) => region(name, machine));
  const taken = regions.find(({ name }) => Object.hasOwn(whole.root.states, name));
  if (taken) throw refuse(`it has a region '${taken.name}' already`, 'Call one of them otherwise.');
  const config: UnknownMachineConfig = {
    ...whole.config,
    context: (args: { readonly input: unknown }) => {
      const own = whole.config.context;
      const input = Object(args.input) as Readonly<Record<string, unknown>>; // XState asks once without any
      return {
        ...(typeof own === 'function' ? own(args) : own),
        ...Object.fromEntries(regions.map(({ name, context }) => [name, context(input[name])])),
      };
    },
    states: { ...whole.config.states, ...Object.fromEntries(regions.map(({ name, state }) => [name, state])) },
  };
  const { actions, guards, delays } = whole.implementations;
  const added = regions.map(({ implementations }) => implementations);
  return createMachine(config, {
    actions: Object.assign({}, actions, ...added.map((one) => one.actions)),
    guards: Object.assign({}, guards, ...added.map((one) => one.guards)),
    delays: Object.assign({}, delays, ...added.map((one) => one.delays)),
  });
}
