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
  A1: 'mkacx',
  A2: 'mkacx',
  A3: 'mkacx',
  A3b: 'mkacx',
  A3c: 'mkacx',
  A4: 'mkacx',
  A4b: 'mkacx',
  A5: 'mkacx',
  A6: 'mkacx',
  A7: 'mkacx',
  A8: 'mkacx',
  A9: 'mkacx',
  A10: 'mkacx',
  A11: 'mkacx',
  A12: 'mkacx',
  A13: 'mkacx',
  A14: 'mkacx',
  A15: 'mkacx',
  A16: 'mkacx',
  A17: 'mkacx',
  A18: 'mkacx',
  A19: 'mkcx',
  A20: 'mkacx',
  A21: 'mkacx',
  B1: 'mkacx',
  B2: 'mkacx',
  B3: 'mkacx',
  B4: 'mkacx',
  B5: 'mkacx',
  B6: 'mkacx',
  B7: 'mkacx',
  B8: 'mkacx',
  B9: 'mkacx',
  B10: 'mkacx',
  B11: 'mkacx',
  B12: 'mkacx',
  B13: 'mkax',
  B14: 'mkacx',
  B15: 'mkacx',
  B16: 'mkax',
  B17: 'mkacx',
  C1: 'mkax',
  C2: 'mkacx',
  C3: 'mkacx',
  C4: 'mkacx',
  C4b: 'mkacx',
  C4c: 'mkacx',
  C4t: 'mkacx',
  C5: 'mkax',
  C6: 'mkax',
  E1: 'mkacx',
  E1b: 'mkacx',
  E2: 'mkacx',
  E3: 'mkacx',
  E3b: 'mkacx',
  E4: 'mkacx',
  E4b: 'mkacx',
  E5: 'mkacx',
  E6: 'mkacx',
};
