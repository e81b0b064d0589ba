/**
 * What a crash in the middle of a step may lose of its sends: any part, as positions among them. Sends of one group leave in their order: those on a
 * `fifo` channel, and with `any` order equal messages on one channel, where it does not matter which of them is lost. Different channels may lose more
 * or less, in any combination: a link that is slow, or was down, has sent nothing when the fast ones have sent all, and what `reliable` would repeat
 * is lost with its sender.
 *
 * @returns each distinct part once, the empty one first.
 * @example partialSends(['b', 'c']) // [[], [1], [0], [0, 1]]
 */
export function partialSends(groups: readonly (string | number)[]): readonly (readonly number[])[] {
  const byGroup = new Map<string | number, number[]>();
  for (const [position, group] of groups.entries()) byGroup.set(group, [...(byGroup.get(group) ?? []), position]);
  let parts: readonly (readonly number[])[] = [[]];
  for (const positions of byGroup.values())
    parts = parts.flatMap((lost) =>
      Array.from({ length: positions.length + 1 }, (_, count) => [...lost, ...positions.slice(positions.length - count)]),
    );
  return parts.map((lost) => lost.toSorted((one, other) => one - other));
}
