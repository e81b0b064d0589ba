import { ConclaveError } from '../../../base/error.js';
import { stateText } from '../../../protocol/handles.js';
import { differenceOf } from '../../../protocol/plain-data.js';
import { LocalNode } from '../../worlds/local-node.js';
import type { Action } from '../../worlds/world.js';
import type { Worlds } from '../../worlds/worlds.js';
import type { Code } from '../kernel/code.js';
import * as part from '../kernel/format/step.js';
import { own } from '../kernel/format/tables.js';
import type { Kernel } from '../kernel/kernel.js';
import type { ConfigurationTable, NodeConfiguration } from './configuration-table.js';
import { compiledWrongly } from './confirm-step.js';

/** What a confirmation reads of a compiled system. */
interface Confirmed {
  readonly worlds: Worlds;
  readonly configurations: readonly ConfigurationTable[];
  readonly code: Code;
  readonly kernel: Kernel;
  actionOf(action: number): Action;
  actionNumber(action: Action): number;
  knownMayCrash(node: number, configuration: number): boolean | undefined;
}

/**
 * Repeats what is not a step of a machine: how each node starts, which commands each configuration
 * accepts, and whether a node may crash in it. `nodes`: those whose steps the exploration takes;
 * `tick` is called before each configuration.
 *
 * @throws {ConclaveError} `impure` for an answer that differs from the first one.
 */
export function confirmConditions(
  compiled: Confirmed,
  nodes: readonly LocalNode[],
  tick: () => void,
): void {
  const { worlds, configurations, kernel } = compiled;
  for (const [index, id] of worlds.topology.nodes.entries()) {
    const judge = LocalNode.of(worlds, id);
    const node = nodes[index] as LocalNode; // one for each
    const changed = differenceOf(worlds.initial.nodes[id], judge.start().state);
    if (changed)
      throw differenceError(`Node ${id} does not start in the same state each time: ${changed}`);
    for (const [number, configuration] of (configurations[index]?.items ?? []).entries()) {
      tick();
      const list = kernel.known(own, index, number);
      if (list >= 0 && !configuration.crashed)
        confirmCommands(compiled, { node, judge }, configuration, list);
      const mayCrash = compiled.knownMayCrash(index, number);
      if (mayCrash !== undefined && worlds.mayCrash(id, configuration.state) !== mayCrash)
        throw differenceError(
          `mayCrash does not return the same each time for node ${id} in '${stateText(configuration.state.value)}'`,
        );
    }
  }
}

/** `judge`: the node by XState; `list`: where the tables hold the steps of the configuration. */
function confirmCommands(
  compiled: Confirmed,
  { node, judge }: { readonly node: LocalNode; readonly judge: LocalNode },
  configuration: NodeConfiguration,
  list: number,
): void {
  const { numbers: code } = compiled.code;
  const { id } = node;
  const expected = compiled.worlds.commandsFor(
    judge,
    configuration.state,
    configuration,
    configuration.clock,
  );
  const before = new Set<number>();
  let isExpected = true;
  for (let at = list + 1; at <= list + (code[list] as number); at++) {
    const action = code[(code[at] as number) + part.action] as number;
    const known = compiled.actionOf(action);
    if (known.type !== 'command') continue;
    // usually it is the same object
    if (known.command !== expected[before.size]) isExpected = false;
    before.add(action);
  }
  if (isExpected && before.size === expected.length) return;
  const commandsOf = (by: LocalNode): ReadonlySet<number> => {
    const now = compiled.worlds.commandsFor(
      by,
      configuration.state,
      configuration,
      configuration.clock,
    );
    return new Set(
      now.map((command) => compiled.actionNumber({ type: 'command', node: id, command })),
    );
  };
  const numbers = commandsOf(judge);
  for (const action of [...before, ...numbers]) {
    if (before.has(action) === numbers.has(action)) continue;
    const known = compiled.actionOf(action);
    if (known.type !== 'command') continue;
    const { type } = known.command;
    const where = `in '${stateText(configuration.state.value)}'`;
    const isSteady =
      commandsOf(node).has(action) === before.has(action) &&
      commandsOf(judge).has(action) === numbers.has(action);
    if (isSteady)
      throw compiledWrongly(
        id,
        `${where}, ${before.has(action) ? 'only the compiled one' : 'only XState'} accepts '${type}'`,
      );
    throw differenceError(
      `Whether node ${id} accepts '${type}' ${where} is not the same each time`,
    );
  }
}

const differenceError = (what: string): ConclaveError =>
  new ConclaveError(
    'impure',
    what,
    'Let machines, guards and conditions depend only on their arguments, not on variables outside.',
  );
