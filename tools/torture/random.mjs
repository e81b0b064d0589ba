/** Seeded randomness (mulberry32): the same text gives the same numbers. */
export function randomOf(...seed) {
  let state = hash(seed.join(' '));
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least, most) => least + next() * (most - least);
  const pick = (items) => items[Math.floor(next() * items.length)];
  const shuffled = (items) => {
    const rest = [...items];
    return items.map(() => rest.splice(Math.floor(next() * rest.length), 1)[0]);
  };
  return { next, between, pick, shuffled, chance: (probability) => next() < probability };
}

/** FNV-1a. */
function hash(text) {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ character.codePointAt(0), 0x01000193);
  return value >>> 0;
}
