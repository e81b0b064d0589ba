import { badInput } from '../base/error.js';
import type { Random } from '../base/random.js';
import type { Send } from '../protocol/effects.js';
import type { HostEffect } from '../protocol/step.js';

type Group = string | number;

/** A step of 12 sends to different nodes has as many parts. */
const mostParts = 4_096;

/**
 * The groups of the sends among some effects: what leaves in order. `textOf`: a text that equal
 * sends share.
 */
export const groupsOf = (
  effects: readonly HostEffect[],
  order: 'fifo' | 'any',
  textOf: (send: Send) => string,
): readonly Group[] =>
  effects.flatMap((effect) =>
    effect.type === 'send' ? [order === 'fifo' ? effect.to : textOf(effect)] : [],
  );

/**
 * What a crash in the middle of a step may lose of its sends: any part, as positions among them.
 * Sends of one group leave in their order: those on a `fifo` channel, and with `any` order equal
 * messages on one channel, where it does not matter which of them is lost. Different channels may
 * lose more or less, in any combination: a link that is slow, or was down, has sent nothing when
 * the fast ones have sent all, and what `reliable` would repeat is lost with its sender.
 *
 * @returns each distinct part once, the empty one first.
 * @throws {ConclaveError} `bad-input` if there are more than 4,096.
 * @example partialSends(['b', 'c']) // [[], [1], [0], [0, 1]]
 */
export function partialSends(groups: readonly Group[]): readonly (readonly number[])[] {
  const all = positionsIn(groups);
  if (all.reduce((count, { length }) => count * (length + 1), 1) > mostParts)
    throw badInput(
      `A step sends ${groups.length} messages: a crash in the middle of it may lose more than ${mostParts.toLocaleString('en')} different parts`,
      'Explore a smaller network, or crashes between steps only: atomicSteps, in the CLI --atomic-steps.',
    );
  let parts: readonly (readonly number[])[] = [[]];
  for (const positions of all)
    parts = parts.flatMap((lost) =>
      Array.from({ length: positions.length + 1 }, (_, count) => [
        ...lost,
        ...positions.slice(positions.length - count),
      ]),
    );
  return parts.map((lost) => lost.toSorted((one, other) => one - other));
}

/** One of the {@link partialSends}, each with the same chance. */
export function drawPart(groups: readonly Group[], random: Random): readonly number[] {
  return positionsIn(groups).flatMap((positions) =>
    positions.slice(positions.length - random.below(positions.length + 1)),
  );
}

/** The positions of each group. */
function positionsIn(groups: readonly Group[]): readonly (readonly number[])[] {
  const byGroup = new Map<Group, number[]>();
  for (const [position, group] of groups.entries()) {
    const positions = byGroup.get(group) ?? [];
    byGroup.set(group, positions);
    positions.push(position);
  }
  return [...byGroup.values()];
}
