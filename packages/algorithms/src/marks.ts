/** What the tests have shown of each algorithm; written by `npm run marks`, where the letters are explained. */
const marks: Readonly<Record<string, readonly string[]>> = {
  A1: ['m', 'k', 'a', 'c', 'x', 'e'],
  A2: ['m', 'k', 'a', 'c', 'x', 'e'],
  A3: ['m', 'k', 'a', 'c', 'x', 'e'],
  A4: ['m', 'k', 'a', 'c', 'x', 'e'],
  A4b: ['m', 'k', 'a', 'c', 'x', 'e'],
  A7: ['m', 'k', 'a', 'c', 'x', 'e'],
  A8: ['m', 'k', 'a', 'c', 'x', 'e'],
  A11: ['m', 'k', 'a', 'c', 'x', 'e'],
  A15: ['m', 'k', 'a', 'c', 'x', 'e'],
  B3: ['m', 'k', 'a', 'c', 'x', 'e'],
  B14: ['m', 'k', 'a', 'c', 'x', 'e'],
};

/** The marks of the algorithm with this id, such as `m`, `k`, `c`; none for one the tests do not know. */
export const marksOf = (id: string): readonly string[] => marks[id] ?? [];
