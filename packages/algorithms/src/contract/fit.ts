/** Compares measured costs with means of the literature, and with a straight line. */

/** The n-th harmonic number, 1 + 1/2 + … + 1/n. */
export function harmonic(n: number): number {
  let sum = 0;
  for (let k = 1; k <= n; k++) sum += 1 / k;
  return sum;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The least-squares line through `points`; `correlation` is 1 or −1 if it goes through all of them.
 */
export function lineThrough(points: readonly Point[]): {
  readonly slope: number;
  readonly correlation: number;
} {
  const mean = (value: (point: Point) => number) =>
    points.reduce((sum, point) => sum + value(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const together = mean((point) => (point.x - x) * (point.y - y));
  const [inX, inY] = [mean((point) => (point.x - x) ** 2), mean((point) => (point.y - y) ** 2)];
  return { slope: together / inX, correlation: together / Math.sqrt(inX * inY) };
}
