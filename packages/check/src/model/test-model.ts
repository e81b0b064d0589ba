import { breaksRules, faults } from '@conclave/core/internal';
import { type Beside, ConclaveError } from '@conclave/core/protocol';
import { linesText, type TraceLine } from '@conclave/core/trace';
import type { AnyStateMachine } from 'xstate';
import { badInput } from '../base/bad-input.js';
import type { Budget } from '../worlds/budget.js';
import { actionLines } from '../worlds/run-lines.js';
import type { Action, World } from '../worlds/world.js';
import { nextOrFault } from '../worlds/worlds.js';
import type { Model } from './model.js';
import { type ModelTested, testMachine } from './test-machine.js';

/** What `@xstate/test` and its successor in `xstate/graph` share. */
export type TestModelClass = new (
  logic: Model['logic'],
  options: Model['options'],
) => {
  getShortestPaths(): readonly {
    test(params: {
      readonly events: Readonly<
        Record<Action['type'], (step: { readonly event: { readonly type: string } }) => void>
      >;
      readonly states: { readonly '*': (snapshot: { readonly world: World }) => void };
    }): Promise<unknown>;
  }[];
};

/**
 * Model-tests the *embedded* nodes of a system. `TestModel` generates shortest paths through all
 * its worlds; fresh nodes on a hand-stepped network take each path; after each step every node's
 * state, the channels and the timers are compared with the world.
 *
 * A bare machine is tested in XState's own actor: each of its steps, with its actors ended and its
 * timers fired as the path says, and with its actions run.
 *
 * @throws {Error} at the first difference or violated property; `ConclaveError` at a step that
 * fails, both with the path to it, and if nothing was tested.
 * @example await testModel(TestModel, model(ricartAgrawala, complete(2)));
 * @example await testModel(machine, { actors: { load: { output: [{ name: 'ada' }] } } });
 */
export async function testModel(TestModel: TestModelClass, system: Model): Promise<ModelTested>;
export async function testModel(
  machine: AnyStateMachine,
  /** `commands`: how often each event comes. Default: any number of times. */
  options?: Beside & Pick<Budget, 'commands'>,
): Promise<ModelTested>;
export async function testModel(
  given: TestModelClass | AnyStateMachine,
  system: Model | Parameters<typeof testMachine>[1] = {},
): Promise<ModelTested> {
  if (typeof given !== 'function') return testMachine(given, system as Beside); // by overload
  return testEmbedded(given, system as Model);
}

const actionTypes: readonly Action['type'][] = [
  ...(['command', 'deliver', 'timeout', 'choose', 'heal', 'tick'] as const),
  ...faults.faultNames.map((name) => faults.kinds[name].action),
];

async function testEmbedded(
  TestModel: TestModelClass,
  { worlds, logic, options }: Model,
): Promise<ModelTested> {
  // a search needs no embedding, nor RxJS
  const { EmbeddedSystem } = await import('./embedded-system.js');
  const paths = pathsOf();
  let steps = 0;
  let comparisons = 0;
  for (const [at, path] of paths.entries()) {
    const system = new EmbeddedSystem(worlds, { path: at, paths: paths.length });
    let failure: string | undefined;
    const attempt = (step: () => void) => {
      try {
        step();
      } catch (error) {
        failure = error instanceof Error ? error.message : undefined;
        throw error;
      }
    };
    const perform = ({ event }: { readonly event: { readonly type: string } }) =>
      attempt(() => {
        // the model's own event; the test packages type events by their `type` alone
        system.perform(event as Action);
        steps++;
      });
    const compare = ({ world }: { readonly world: World }) =>
      attempt(() => {
        if (system.reaches(world)) comparisons++;
      });
    const tested = path.test({
      events: Object.fromEntries(actionTypes.map((type) => [type, perform] as const)) as Readonly<
        Record<Action['type'], typeof perform>
      >, // of each
      states: { '*': compare },
    });
    await withOwnMessage(tested, () => failure);
    await system.close();
  }
  if (steps === 0 || comparisons === 0)
    throw badInput(
      `The model test made ${steps} steps and ${comparisons} comparisons: it tested nothing`,
      'Give the system a command in its budget.',
    );
  return { paths: paths.length, steps, comparisons };

  function pathsOf() {
    try {
      return new TestModel(logic, options).getShortestPaths();
    } catch (error) {
      throw breaksRules(error) ? (failingRun(worlds, options.serializeState) ?? error) : error;
    }
  }
}

/** The test packages append each world of the path to the message, as JSON: it is taken off. */
async function withOwnMessage(
  tested: Promise<unknown>,
  message: () => string | undefined,
): Promise<void> {
  try {
    await tested;
  } catch (error) {
    if (error instanceof Error) error.message = message() ?? error.message;
    throw error;
  }
}

/** The error of a first step that fails, with a shortest path to it. */
function failingRun(
  worlds: Model['worlds'],
  keyOf: (snapshot: { readonly world: World }) => string,
): ConclaveError | undefined {
  const known = new Set([keyOf({ world: worlds.initial })]);
  const queue: { world: World; lines: readonly TraceLine[] }[] = [
    { world: worlds.initial, lines: [] },
  ];
  for (const { world, lines } of queue)
    for (const action of worlds.actions(world)) {
      const next = nextOrFault(worlds, world, action);
      if (next instanceof ConclaveError)
        return new ConclaveError(next.code, `${next.what}\nafter\n${linesText(lines)}`, next.cure);
      if (known.size === known.add(keyOf({ world: next })).size) continue;
      queue.push({ world: next, lines: [...lines, ...actionLines(worlds, world, action)] });
    }
  return undefined;
}
