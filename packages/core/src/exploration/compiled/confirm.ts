import { ConclaveError } from '../../protocol/error.js';
import { stateText } from '../../protocol/handles.js';
import { differenceOf } from '../../protocol/plain-data.js';
import { LocalNode } from '../worlds/local-node.js';
import type { CompiledWorlds } from './compiled.js';
import type { Place } from './place-table.js';
import { part } from './tables.js';

/**
 * Asks again what is no step of a machine, and so is not among the distinct steps: how each node starts, which commands may come to it in each place, and
 * whether it may crash there; `tick` is called before each place. A guard that was false when a command was first to come has kept that step from being taken at all.
 *
 * @throws {ConclaveError} `impure` for an answer that is another one now.
 */
export function confirmConditions(compiled: CompiledWorlds, tick: () => void): void {
  const { worlds, places, tables } = compiled;
  const { protocol, topology } = worlds;
  for (const [index, id] of topology.nodes.entries()) {
    const node = new LocalNode(id, protocol, topology);
    const changed = differenceOf(worlds.initial.nodes[id], node.start().state);
    if (changed) throw different(`Node ${id} does not start the same each time: ${changed}`);
    for (const [number, place] of (places[index]?.items ?? []).entries()) {
      tick();
      const list = tables.own[index]?.get(number) ?? -1;
      if (list >= 0 && !place.crashed) confirmCommands(compiled, node, place, list);
      const mortal = tables.mortal[index]?.get(number) ?? -1;
      if (mortal >= 0 && worlds.mayCrash(id, place.state) !== (mortal === 1))
        throw different(`mayCrash does not answer the same each time for node ${id} in '${stateText(place.state.value)}'`);
    }
  }
}

/** `list`: where the tables have the steps of the place. */
function confirmCommands(compiled: CompiledWorlds, node: LocalNode, place: Place, list: number): void {
  const { code } = compiled.tables;
  const before = new Set<number>();
  for (let at = list + 1; at <= list + (code[list] as number); at++) {
    const action = code[(code[at] as number) + part.action] as number;
    if (compiled.actionOf(action).type === 'command') before.add(action);
  }
  const { id } = node;
  const now = compiled.worlds.commands.possible(node, place.state, place);
  const numbers = new Set(now.map((command) => compiled.actionNumber({ type: 'command', node: id, command })));
  for (const action of [...before, ...numbers]) {
    if (before.has(action) === numbers.has(action)) continue;
    const known = compiled.actionOf(action);
    if (known.type !== 'command') continue;
    const { type } = known.command;
    const where = `in '${stateText(place.state.value)}'`;
    throw different(`Whether '${type}' may come to node ${id} ${where} is not the same each time it is asked`);
  }
}

const different = (what: string): ConclaveError =>
  new ConclaveError('impure', what, 'Let machines, guards and conditions depend on what they are given only, not on variables outside.');
