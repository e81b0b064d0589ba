/** By key: the items that have it, in their order. */
export function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
