/** `a`, `a and b`, `a, b and c`. */
export const listed = (items: readonly string[], last: string): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
