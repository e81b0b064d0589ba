import type { Action, World } from '@conclave/core/exploration';
import { nodesAccepting, roleOf } from '@conclave/core/internal/protocol';
import type { Command, NodeId } from '@conclave/core/protocol';
import { allInputs } from './larger-budget.js';
import { sameText, type Target, targetOf, unique } from './possible.js';
import { afterTimers } from './states.js';
import type { System } from './system.js';

/** An action that a user may want, whether it can happen or not. */
interface Wanted {
  readonly action: Action;
  readonly target: Target;
}

/**
 * Everything that a user may want to do in `world`, each once. A split is one, whatever its sides.
 */
export function wanted(system: System, world: World): readonly Wanted[] {
  const actions = [...nodeActions(system, world), ...networkActions(system)];
  return [
    ...messageActions(system, world),
    ...actions.map((action) => ({ action, target: targetOf(system.worlds, world, action) })),
  ];
}

function messageActions({ topology, worlds }: System, world: World): readonly Wanted[] {
  return topology.links.flatMap(({ from, to }) => {
    const key = `${from}→${to}`;
    const messages = world.channels[key] ?? [];
    const dues = world.clocks?.dues[key] ?? [];
    const texts = messages.map((message, index) => sameText([message, dues[index]]));
    const last = messages.findLastIndex((message) => !worlds.isNotice(message));
    return messages.flatMap((message, index): readonly Wanted[] => {
      const isFirst = worlds.order === 'fifo' || texts.indexOf(texts[index] ?? '') === index;
      const due = dues[index];
      const sent = { from, to, message, ...(due && { due }) };
      const positions =
        worlds.order === 'fifo'
          ? [index]
          : texts.flatMap((text, other) => (text === texts[index] ? [other] : []));
      const target: Target = { kind: 'message', from, to, positions };
      const types = isFirst ? (['deliver', 'drop', 'duplicate'] as const) : [];
      const isNext =
        worlds.order === 'fifo' ? index === last : isFirst && !worlds.isNotice(message);
      const mayBeUnsent = world.crashed.includes(from) && isNext;
      return [
        ...types.map((type) => ({ action: { type, ...sent }, target })),
        ...(mayBeUnsent
          ? [
              {
                action: { type: 'drop', ...sent, unsent: index } as const,
                target: { ...target, positions: [index] },
              },
            ]
          : []),
      ];
    });
  });
}

function nodeActions(system: System, world: World): readonly Action[] {
  const { protocol, topology, worlds } = system;
  const commands = [
    ...allInputs(worlds.commands.optional, protocol),
    ...worlds.commands.obligatory,
  ];
  const takers = new Map(
    commands.map(({ type }) => [type, new Set(nodesAccepting(protocol, topology, type))]),
  );
  const choices = world.choosing.flatMap(({ node, options }) =>
    unique(options).map((value): Action => ({ type: 'choose', node, value })),
  );
  return [
    ...choices,
    ...topology.nodes.flatMap((node): readonly Action[] => [
      ...commands
        .filter(({ type }) => takers.get(type)?.has(node))
        .map((command: Command): Action => ({ type: 'command', node, command })),
      ...timersOf(system, world, node).map((timer): Action => ({ type: 'timeout', node, timer })),
      { type: 'crash', node },
      { type: 'restart', node },
    ]),
  ];
}

/** The armed timers of a node, then the others that its states arm. */
function timersOf({ protocol, topology }: System, world: World, node: NodeId): readonly string[] {
  const armed = world.nodes[node]?.timers.map(({ id }) => id) ?? [];
  const { machine } = roleOf(protocol, node, topology);
  return [
    ...armed,
    ...afterTimers(machine).flatMap(({ timer }) => (armed.includes(timer) ? [] : [timer])),
  ];
}

function networkActions({ topology, worlds }: System): readonly Action[] {
  return [
    ...(topology.nodes.length > 1
      ? [{ type: 'split', side: [] } as const, { type: 'heal' } as const]
      : []),
    ...(worlds.clockwork ? [{ type: 'tick' } as const] : []),
  ];
}
