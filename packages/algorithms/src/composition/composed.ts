import { ConclaveError } from '@conclave/core/protocol';
import { type AnyStateMachine, createMachine, type UnknownMachineConfig } from 'xstate';
import type { Appearance } from './appearance.js';
import { region } from './region.js';

/**
 * `whole`, a machine of parallel regions, with each of `parts` as one more region: composition by
 * statechart, not by copy.
 *
 * The whole sends a part an event by `raise({ type: 'within-acquire' })`, and sees its state by
 * `stateIn('#within.held')` or `region(…).has(tag)`. The input of a part is the field of its name
 * in the input, its context the field of its name in the context.
 *
 * @param appearances by part. The states that handle what a part tells list it, as in
 * `meta: { raises: ['group-deliver'] }`.
 * @throws {ConclaveError} `bad-protocol` as {@link region}, for a whole that is not parallel, and
 * for a part with the name of one of its regions.
 * @example compose(setup({ … }).createMachine({ type: 'parallel', … }), { within: raymondMachine
 * })
 */
export function compose(
  whole: AnyStateMachine,
  parts: Readonly<Record<string, AnyStateMachine>>,
  appearances: Readonly<Record<string, Pick<Appearance, 'told' | 'unused'>>> = {},
): AnyStateMachine {
  const refuse = (what: string, cure: string) =>
    new ConclaveError(
      'bad-protocol',
      `Machine '${whole.id}' cannot have the regions ${Object.keys(parts).join(', ')}: ${what}`,
      cure,
    );
  if (whole.root.type !== 'parallel')
    throw refuse('it is not parallel', "Give it type: 'parallel'.");
  const regions = Object.entries(parts).map(([name, machine]) =>
    region(name, machine, appearances[name]),
  );
  const taken = regions.find(({ name }) => Object.hasOwn(whole.root.states, name));
  if (taken)
    throw refuse(`it has a region '${taken.name}' already`, 'Give one of them another name.');
  const config: UnknownMachineConfig = {
    ...whole.config,
    context: (args: { readonly input: unknown }) => {
      const own = whole.config.context;
      // XState calls this once without input
      const input = Object(args.input) as Readonly<Record<string, unknown>>;
      return {
        ...(typeof own === 'function' ? own(args) : own),
        ...Object.fromEntries(regions.map(({ name, context }) => [name, context(input[name])])),
      };
    },
    states: {
      ...whole.config.states,
      ...Object.fromEntries(regions.map(({ name, state }) => [name, state])),
    },
  };
  const { actions, guards, delays } = whole.implementations;
  const added = regions.map(({ implementations }) => implementations);
  return createMachine(config, {
    actions: Object.assign({}, actions, ...added.map((one) => one.actions)),
    guards: Object.assign({}, guards, ...added.map((one) => one.guards)),
    delays: Object.assign({}, delays, ...added.map((one) => one.delays)),
  });
}
