import { drawn } from '../base/drawn.js';
import type { Json } from '../protocol/node.js';

/** One of them, each as likely as its weight says; without weights, equally likely. */
export function anyOf(
  options: readonly Json[],
  weights: readonly number[] = options.map(() => 1),
): Json {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return drawn(options, weights, Math.random() * sum);
}
