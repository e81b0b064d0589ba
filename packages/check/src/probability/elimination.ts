/**
 * Linear equations over exact fractions by Gauss elimination: in which order rows are eliminated
 * decides how many products there are.
 */
import { add, divide, multiply, one, type Rational, rational, subtract, zero } from './rational.js';
import { isTooLong } from './values.js';

/** x = constant + Σ coefficient · x of another row. */
export interface Row {
  constant: Rational;
  readonly coefficients: Map<number, Rational>;
}

/**
 * The solution of linear equations by Gauss elimination: the row with the fewest products first
 * (Markowitz 1957). The rows are used up. Undefined if there is no single solution, or if numbers
 * get too long.
 */
export function eliminated(
  rows: readonly Row[],
  watch: { tick(weight?: number): void },
): readonly Rational[] | undefined {
  const users = rows.map(() => new Set<number>());
  for (const [index, { coefficients }] of rows.entries())
    for (const used of coefficients.keys()) users[used]?.add(index);
  const left = new Set(rows.keys());
  const order: number[] = [];
  while (left.size > 0) {
    const next = cheapest(rows, users, left);
    watch.tick(left.size);
    left.delete(next);
    order.push(next);
    if (!substitute(rows, users, next)) return undefined;
  }
  const solution: Rational[] = rows.map(() => zero);
  for (const index of order.reverse()) {
    const { constant, coefficients } = rows[index] as Row; // an index of rows
    let sum = constant;
    for (const [used, coefficient] of coefficients)
      sum = add(sum, multiply(coefficient, solution[used] ?? zero));
    if (isTooLong(sum)) return undefined;
    solution[index] = sum;
  }
  return solution;
}

function cheapest(
  rows: readonly Row[],
  users: readonly ReadonlySet<number>[],
  left: ReadonlySet<number>,
): number {
  let [best, least] = [-1, Infinity];
  for (const index of left) {
    const products = (rows[index]?.coefficients.size ?? 0) * (users[index]?.size ?? 0);
    if (products < least) [best, least] = [index, products];
  }
  return best;
}

/** Solves a row for its own variable, and puts that into the rows that use it. */
function substitute(rows: readonly Row[], users: readonly Set<number>[], index: number): boolean {
  const row = rows[index] as Row; // an index of rows
  const own = row.coefficients.get(index) ?? zero;
  const factor = subtract(one, own);
  if (factor.numerator === 0n) return false;
  row.coefficients.delete(index);
  users[index]?.delete(index);
  row.constant = divide(row.constant, factor);
  for (const [used, coefficient] of row.coefficients) {
    row.coefficients.set(used, divide(coefficient, factor));
    users[used]?.delete(index);
  }
  for (const user of users[index] ?? []) {
    const other = rows[user] as Row; // an index of rows
    const share = other.coefficients.get(index) ?? zero;
    other.coefficients.delete(index);
    other.constant = add(other.constant, multiply(share, row.constant));
    for (const [used, coefficient] of row.coefficients) {
      const product = multiply(share, coefficient);
      const before = other.coefficients.get(used);
      other.coefficients.set(used, before ? add(before, product) : product);
      users[used]?.add(user);
    }
    if (isTooLong(other.constant)) return false;
  }
  return true;
}

/** A row to which terms are added. */
export const emptyRow = (): Row => ({ constant: zero, coefficients: new Map() });

/** Adds weight / total · x of another row. */
export function addTerm(row: Row, used: number, weight: number, total: bigint): void {
  const term = rational(BigInt(weight), total);
  const before = row.coefficients.get(used);
  row.coefficients.set(used, before ? add(before, term) : term);
}
