import type { Point } from '../../model/network-layout.js';

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** How long a message moves, in milliseconds. */
const time = 200;

export const animates = (): boolean => !still.matches && document.visibilityState === 'visible';

const at = ({ x, y }: Point, opacity: number): Keyframe => ({
  transform: `translate(${x}px, ${y}px)`,
  opacity,
});

/** Moves a new message from its sender to its place. */
export const leave = (element: SVGElement, from: Point, to: Point): Animation =>
  element.animate([at(from, 0.3), at(to, 1)], { duration: time, easing: 'ease-out' });

/** Moves a delivered message into its node, or lets a lost one fade; then `done`. */
export function arrive(element: SVGElement, from: Point, to: Point, done: () => void): Animation {
  const timing = { duration: time, easing: 'ease-in', fill: 'forwards' } as const;
  const animation = element.animate([at(from, 1), at(to, 0.1)], timing);
  animation.onfinish = done;
  return animation;
}
