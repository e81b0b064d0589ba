import type { Random } from '../base/random.js';

/**
 * How many milliseconds a timer of `delay` takes on the clock of a node, which drifts by at most
 * `drift`. `random`: that of the whole run.
 */
export function durations(
  nodes: number,
  drift: number,
  random: Random,
): (node: number, delay: number) => number {
  if (drift === 0) return (_node, delay) => delay;
  const drawn = random.fork('clocks');
  const factors = Float64Array.from({ length: nodes }, () => 1 + drift * (2 * drawn.unit() - 1));
  return (node, delay) => delay * (factors[node] as number); // a place in the topology
}
