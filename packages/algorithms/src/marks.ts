/**
 * What the tests of each algorithm show, by its id. `npm run algorithm` writes this file.
 *
 * - `m`: each rule of its page has a test, and stands in the machine
 * - `k`: its properties notice its mutants, or each that passes has its reason: `mutants.json`
 * - `a`: a suite of *assumptions* drops one, and shows what breaks
 * - `c`: a suite of its *cost*, and its contract, compare the cost formula with runs
 * - `x`: the explorer searches every interleaving of small systems
 * - `e`: embedded nodes take every path through small systems
 *
 * `npm run verify` tells whether these tests pass.
 */
export const marks: Readonly<Record<string, string>> = {
  A1: 'mkacxe',
  A2: 'mkacxe',
  A3: 'mkacxe',
  A3b: 'mkacxe',
  A3c: 'mkacxe',
  A4: 'mkacxe',
  A4b: 'mkacxe',
  A5: 'mkacxe',
  A6: 'mkacxe',
  A7: 'mkacxe',
  A8: 'mkacxe',
  A9: 'mkacxe',
  A10: 'mkacxe',
  A11: 'mkacxe',
  A12: 'mkacxe',
  A13: 'mkacxe',
  A14: 'mkacxe',
  A15: 'mkacxe',
  A16: 'mkacxe',
  A17: 'mkacxe',
  A18: 'mkacxe',
  A19: 'mkcxe',
  A20: 'mkacxe',
  A21: 'mkacxe',
  B1: 'mkacxe',
  B2: 'mkacxe',
  B3: 'mkacxe',
  B4: 'mkacxe',
  B5: 'mkacxe',
  B6: 'mkacxe',
  B7: 'mkacxe',
  B8: 'mkacxe',
  B9: 'mkacxe',
  B10: 'mkacxe',
  B11: 'mkacxe',
  B12: 'mkacxe',
  B13: 'mkaxe',
  B14: 'mkacxe',
  B15: 'mkacxe',
  B16: 'mkaxe',
  B17: 'mkacxe',
  C1: 'mkaxe',
  C2: 'mkacxe',
  C3: 'mkacxe',
  C4: 'mkacxe',
  C4b: 'mkacxe',
  C4c: 'mkacxe',
  C4t: 'mkacxe',
  C5: 'mkax',
  C6: 'mkaxe',
  E1: 'mkacxe',
  E1b: 'mkacxe',
  E2: 'mkacxe',
  E3: 'mkacxe',
  E3b: 'mkacxe',
  E4: 'mkacxe',
  E4b: 'mkacxe',
  E5: 'mkacxe',
  E6: 'mkacxe',
};
