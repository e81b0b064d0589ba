const rounds = 400;

/**
 * Places of `n` nodes by forces (Fruchterman and Reingold 1991): neighbours attract, all repel each
 * other, and what moves slows down. It begins on a circle and draws no random number.
 *
 * @param aspect How wide the drawing is in relation to its height.
 */
export function forced(
  n: number,
  edges: readonly (readonly [number, number])[],
  aspect: number,
): readonly { readonly x: number; readonly y: number }[] {
  const wide = Math.sqrt(Math.min(3, Math.max(1 / 3, aspect)));
  const ideal = 1 / Math.sqrt(n);
  const xs = Float64Array.from(
    { length: n },
    (_, index) => (wide * Math.cos((2 * Math.PI * index) / n)) / 2,
  );
  const ys = Float64Array.from(
    { length: n },
    (_, index) => Math.sin((2 * Math.PI * index) / n + index * 1e-3) / (2 * wide),
  );
  const [dx, dy] = [new Float64Array(n), new Float64Array(n)];
  const at = (values: Float64Array, index: number): number => values[index] ?? 0;
  const push = (one: number, other: number, force: (distance: number) => number) => {
    const [x, y] = [at(xs, one) - at(xs, other), at(ys, one) - at(ys, other)];
    const distance = Math.max(1e-6, Math.hypot(x, y));
    const strength = force(distance) / distance;
    dx[one] = at(dx, one) + x * strength;
    dy[one] = at(dy, one) + y * strength;
    dx[other] = at(dx, other) - x * strength;
    dy[other] = at(dy, other) - y * strength;
  };
  for (let round = 0; round < rounds; round++) {
    dx.fill(0);
    dy.fill(0);
    for (let one = 0; one < n; one++)
      for (let other = one + 1; other < n; other++)
        push(one, other, (distance) => ideal ** 2 / distance);
    for (const [one, other] of edges) push(one, other, (distance) => -(distance ** 2) / ideal);
    const most = 0.1 * (1 - round / rounds);
    for (let index = 0; index < n; index++) {
      const length = Math.max(1e-9, Math.hypot(at(dx, index), at(dy, index)));
      const step = Math.min(length, most) / length;
      xs[index] = at(xs, index) + at(dx, index) * step;
      ys[index] = at(ys, index) + at(dy, index) * step;
    }
  }
  return Array.from(xs, (x, index) => ({ x, y: at(ys, index) }));
}
