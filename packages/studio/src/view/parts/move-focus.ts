/**
 * Moves the focus among some parts of an element, by two arrows, which go around, Home and End.
 *
 * @returns the part that has it then; undefined for any other key
 */
export function moveFocus(
  event: KeyboardEvent,
  parts: string,
  [previous, next]: readonly [string, string],
): HTMLElement | undefined {
  const { currentTarget, key } = event;
  if (!(currentTarget instanceof HTMLElement)) return undefined;
  const all = [...currentTarget.querySelectorAll<HTMLElement>(parts)];
  const at = all.findIndex((part) => part.matches(':focus'));
  const to = { [previous]: Math.max(at, 0) - 1, [next]: at + 1, Home: 0, End: -1 }[key];
  if (to === undefined) return undefined;
  event.preventDefault();
  event.stopPropagation(); // elsewhere, arrows step and choose
  const part = all.at(to % all.length);
  part?.focus();
  return part;
}
