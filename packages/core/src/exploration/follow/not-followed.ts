/** Why a trace is no run of a system. */
import { badInput, ConclaveError } from '../../base/error.js';
import { linesText } from '../../trace/text.js';
import type { TraceLine } from '../../trace/trace.js';
import { sideOf } from '../worlds/partition.js';
import type { Worlds } from '../worlds/worlds.js';
import { linesOf, type Position, textOf } from './position.js';

/**
 * The error for a cut that is no split in two, or for a heal of a part of it; undefined where only
 * the budget forbids it.
 */
export function notSplit(
  { topology }: Worlds,
  block: readonly TraceLine[],
  positions: readonly Position[],
  where: string,
): ConclaveError | undefined {
  const links = block.flatMap(({ node, event }) =>
    'from' in event ? [{ from: event.from, to: node }] : [],
  );
  const [kind] = block.map(({ event }) => event.kind);
  const isCut = positions.some(({ world }) => world.cut.length > 0);
  const cure =
    'Record a run whose partitions have two groups, which hold all nodes, one after the other.';
  if (kind === 'cut' && isCut)
    return badInput(`${where}: a second cut, while the network is split already`, cure);
  if (kind === 'cut' && !sideOf(topology, links))
    return badInput(`${where}: this cut is no split of the network into two parts`, cure);
  if (kind === 'heal' && isCut) return badInput(`${where}: only a part of the cut heals`, cure);
  return undefined;
}

export function tooMany(
  lines: readonly TraceLine[],
  positions: readonly Position[],
): ConclaveError {
  const [first] = positions
    .flatMap(({ pending }) => pending)
    .sort((one, other) => one.line - other.line);
  const line = lines[first?.line ?? lines.length - 1] as TraceLine; // of the trace
  return new ConclaveError(
    'diverged',
    `Line ${(first?.line ?? lines.length - 1) + 1}, '${linesText([line]).trim()}' is not possible`,
    'Compare the losses and duplications of the budget with the run.',
  );
}

export function divergence(
  worlds: Worlds,
  where: string,
  [position]: readonly Position[],
): ConclaveError {
  const world = position?.world;
  const lines = world
    ? worlds.actions(world).flatMap((action) => linesOf(worlds, world, action)[0] ?? [])
    : [];
  const instead = lines.map(textOf).join('; ');
  const what = world
    ? `possible is ${instead || 'nothing but to wait'}`
    : 'something had to happen before';
  return new ConclaveError(
    'diverged',
    `${where} is not possible: ${what}`,
    'Compare the budget, the order of channels and the times with the run.',
  );
}
