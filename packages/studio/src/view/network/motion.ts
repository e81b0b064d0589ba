import type { Point } from '../../model/network-layout.js';

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** When something begins to move, and how long it does, in milliseconds. */
export interface Timing {
  readonly delay: number;
  readonly duration: number;
}

export const animates = (): boolean => !still.matches && document.visibilityState === 'visible';

const at = ({ x, y }: Point, opacity: number): Keyframe => ({
  transform: `translate(${x}px, ${y}px)`,
  opacity,
});

/** Moves a new message from its sender to its place; at the same pace where its way has times. */
export const leave = (
  element: SVGElement,
  [from, to]: readonly [Point, Point],
  timing: Timing,
  isTimed: boolean,
): Animation =>
  element.animate([at(from, 0.3), at(to, 1)], {
    ...timing,
    easing: isTimed ? 'linear' : 'ease-out',
    fill: 'backwards',
  });

/** Moves a delivered message into its node, or lets a lost one fade; then `done`. */
export function arrive(
  element: SVGElement,
  [from, to]: readonly [Point, Point],
  duration: number,
  done: () => void,
): Animation {
  const timing = { duration, easing: 'ease-in', fill: 'forwards' } as const;
  const animation = element.animate([at(from, 1), at(to, 0.1)], timing);
  animation.onfinish = done;
  return animation;
}
