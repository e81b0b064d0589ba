import { ConclaveError } from '../../protocol/error.js';
import { stateText } from '../../protocol/handles.js';
import { differenceOf } from '../../protocol/plain-data.js';
import { LocalNode } from '../worlds/local-node.js';
import type { Action } from '../worlds/world.js';
import type { Worlds } from '../worlds/worlds.js';
import type { ConfigurationTable, NodeConfiguration } from './configuration-table.js';
import { part, type Tables } from './tables.js';

/** What a confirmation reads of a compiled system. */
interface Confirmed {
  readonly worlds: Worlds;
  readonly configurations: readonly ConfigurationTable[];
  readonly tables: Tables;
  actionOf(action: number): Action;
  actionNumber(action: Action): number;
}

/**
 * Repeats what is not a step of a machine: how each node starts, which commands each configuration accepts, and whether a node may crash in it.
 * `tick` is called before each configuration.
 *
 * @throws {ConclaveError} `impure` for an answer that differs from the first one.
 */
export function confirmConditions(compiled: Confirmed, tick: () => void): void {
  const { worlds, configurations, tables } = compiled;
  const { protocol, topology } = worlds;
  for (const [index, id] of topology.nodes.entries()) {
    const node = new LocalNode(id, protocol, topology);
    const changed = differenceOf(worlds.initial.nodes[id], node.start().state);
    if (changed) throw different(`Node ${id} does not start in the same state each time: ${changed}`);
    for (const [number, configuration] of (configurations[index]?.items ?? []).entries()) {
      tick();
      const list = tables.own[index]?.get(number) ?? -1;
      if (list >= 0 && !configuration.crashed) confirmCommands(compiled, node, configuration, list);
      const mayCrash = tables.mayCrash[index]?.get(number) ?? -1;
      if (mayCrash >= 0 && worlds.mayCrash(id, configuration.state) !== (mayCrash === 1))
        throw different(`mayCrash does not return the same each time for node ${id} in '${stateText(configuration.state.value)}'`);
    }
  }
}

/** `list`: where the tables hold the steps of the configuration. */
function confirmCommands(compiled: Confirmed, node: LocalNode, configuration: NodeConfiguration, list: number): void {
  const { code } = compiled.tables;
  const before = new Set<number>();
  for (let at = list + 1; at <= list + (code[list] as number); at++) {
    const action = code[(code[at] as number) + part.action] as number;
    if (compiled.actionOf(action).type === 'command') before.add(action);
  }
  const { id } = node;
  const now = compiled.worlds.commandsFor(node, configuration.state, configuration, configuration.clock);
  const numbers = new Set(now.map((command) => compiled.actionNumber({ type: 'command', node: id, command })));
  for (const action of [...before, ...numbers]) {
    if (before.has(action) === numbers.has(action)) continue;
    const known = compiled.actionOf(action);
    if (known.type !== 'command') continue;
    const { type } = known.command;
    const where = `in '${stateText(configuration.state.value)}'`;
    throw different(`Whether node ${id} accepts '${type}' ${where} is not the same each time`);
  }
}

const different = (what: string): ConclaveError =>
  new ConclaveError('impure', what, 'Let machines, guards and conditions depend only on their arguments, not on variables outside.');
