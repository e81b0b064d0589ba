import type { Point } from '../../model/network-layout.js';

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** How long a message moves, in milliseconds. */
const time = 200;

export const animates = (): boolean => !still.matches && document.visibilityState === 'visible';

/** Moves a new message from its sender to its place. */
export function leave(element: SVGElement, from: Point, to: Point): void {
  element.animate(
    [
      { transform: `translate(${from.x}px, ${from.y}px)`, opacity: 0.3 },
      { transform: `translate(${to.x}px, ${to.y}px)`, opacity: 1 },
    ],
    {
      duration: time,
      easing: 'ease-out',
    },
  );
}

/** Moves a delivered message into its node, or lets a lost one fade; then `done`. */
export function arrive(element: SVGElement, from: Point, to: Point, done: () => void): Animation {
  const animation = element.animate(
    [
      { transform: `translate(${from.x}px, ${from.y}px)`, opacity: 1 },
      { transform: `translate(${to.x}px, ${to.y}px)`, opacity: 0.1 },
    ],
    { duration: time, easing: 'ease-in', fill: 'forwards' },
  );
  animation.onfinish = done;
  return animation;
}
