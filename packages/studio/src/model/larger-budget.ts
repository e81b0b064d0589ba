import type { Action, World } from '@conclave/core/exploration';
import { Worlds } from '@conclave/core/internal/exploration';
import { optionalCommands } from '@conclave/core/internal/protocol';
import type { Command, Protocol } from '@conclave/core/protocol';
import type { StudioBudget } from '../link/setup.js';
import { type Allowance, sameText } from './possible.js';
import { crashesOn, type System } from './system.js';

/** A larger network has too many splits to offer each. */
export const mostToSplit = 10;

/** The same system with one more of everything that a budget counts. */
interface Larger {
  readonly worlds: Worlds;
  readonly of: (world: World) => World;
}

const known = new WeakMap<System, Larger>();

/** What could happen in `world` if the budget had one more of everything. */
export function actionsWithMore(system: System, world: World): readonly Action[] {
  const larger = known.get(system) ?? largerOf(system);
  known.set(system, larger);
  return larger.worlds.actions(larger.of(world));
}

function largerOf({ protocol, topology, worlds: { budget } }: System): Larger {
  // then messages are neither lost nor duplicated
  const reports = protocol.crashNotice !== undefined;
  const partitions = reports || topology.nodes.length > mostToSplit ? (budget.partitions ?? 0) : 1;
  const inputs = allInputs(budget.inputs ?? optionalCommands(protocol), protocol);
  const larger = new Worlds(protocol, topology, {
    ...budget,
    inputs,
    partitions,
    atomicSteps: true,
    unsent: true,
  }); // none asks for crashes inside steps
  const commands = Object.fromEntries(
    topology.nodes.map((id) => [id, larger.commands.initially(1)]),
  );
  const faults = {
    losses: reports ? 0 : 1,
    duplications: reports ? 0 : 1,
    crashes: 1,
    restarts: 1,
    partitions: Math.min(partitions, 1),
  };
  return {
    worlds: larger,
    of: (world) => ({ ...world, remaining: { ...world.remaining, commands, ...faults } }),
  };
}

/** Those of the budget first, then the others of the protocol. */
export function allInputs(given: readonly Command[], protocol: Protocol): readonly Command[] {
  const texts = new Set(given.map(sameText));
  return [
    ...given,
    ...optionalCommands(protocol).filter((command) => !texts.has(sameText(command))),
  ];
}

/** Why only the budget forbids `action`, and the budget that allows it. */
export function lacking(
  system: System,
  action: Action,
): { readonly why: string; readonly allow: Allowance } {
  const { protocol } = system;
  const { budget } = system.setup;
  const { title, channels, tolerates = [] } = protocol;
  const one = (
    name: 'losses' | 'duplications' | 'crashes' | 'restarts' | 'partitions',
    word: string,
    beyond: string | false,
  ) => {
    const { [name]: had = 0 } = budget;
    const happened =
      had === 1
        ? `The one ${word} of the budget has happened.`
        : `All ${had} ${plural(word)} of the budget have happened.`;
    const crashes = name === 'crashes' ? crashesOn(system.topology) : {};
    const why = had === 0 ? `The budget allows no ${plural(word)}.` : happened;
    const text = had === 0 ? `Allow a ${word}` : `Allow one more ${word}`;
    return {
      why,
      allow: {
        budget: { ...crashes, [name]: had + 1 },
        text,
        ...(beyond !== false && { beyond: `${title} ${beyond}.` }),
      },
    };
  };
  switch (action.type) {
    case 'drop':
      if (action.unsent !== undefined)
        return {
          why: 'In this budget a crash loses nothing that was sent in earlier steps.',
          allow: { budget: { unsent: true }, text: 'Allow a crash to lose it' },
        };
      return one('losses', 'loss', !channels.loss && 'assumes channels that lose nothing');
    case 'duplicate':
      return one(
        'duplications',
        'duplication',
        !channels.duplication && 'assumes channels that duplicate nothing',
      );
    case 'crash':
      return one(
        'crashes',
        'crash',
        !tolerates.includes('crash') && 'does not claim to tolerate crashes',
      );
    case 'restart':
      return one(
        'restarts',
        'restart',
        !tolerates.includes('restart') && 'does not claim to tolerate restarts',
      );
    case 'split':
      return one(
        'partitions',
        'split',
        !channels.loss && 'assumes channels that lose nothing, and a split loses messages',
      );
    case 'command':
      return lackingCommand(system, action);
    default:
      throw new Error(`No budget counts '${action.type}'`);
  }
}

const plural = (word: string): string => (/(s|sh)$/.test(word) ? `${word}es` : `${word}s`);

function lackingCommand(
  { setup, worlds }: System,
  { node, command }: Extract<Action, { readonly type: 'command' }>,
): { readonly why: string; readonly allow: Allowance } {
  const { commands = 1, initiators } = setup.budget;
  const { optional } = worlds.commands;
  const atLeastOne: StudioBudget = commands === 0 ? { commands: 1 } : {};
  const mayInitiate = !initiators || initiators.includes(node);
  const withNode: StudioBudget = mayInitiate ? {} : { initiators: [...initiators, node] };
  if (!optional.some((known) => sameText(known) === sameText(command))) {
    const text = `Allow this ${command.type}`;
    return {
      why: 'This command is not in the budget.',
      allow: { budget: { inputs: [...optional, command], ...withNode, ...atLeastOne }, text },
    };
  }
  if (!mayInitiate) {
    const why =
      initiators.length === 0
        ? 'The budget gives commands to no node.'
        : `The budget gives commands to ${initiators.join(', ')} only.`;
    return {
      why,
      allow: { budget: { ...withNode, ...atLeastOne }, text: `Allow commands to ${node}` },
    };
  }
  const why =
    commands === 0
      ? 'The budget gives no commands.'
      : `The budget gives each node ${commands} ${command.type}.`;
  return {
    why,
    allow: {
      budget: { commands: commands + 1 },
      text: `Allow one more ${command.type} for each node`,
    },
  };
}
