import { Interpreted } from './compile.js';

type Method = 'start' | 'step' | 'fire' | 'takes';

/**
 * Counts, until `stop`, the steps of compiled machines that XState takes; `since` is how many there
 * were since it was asked last.
 */
export function fallBacks(): { readonly since: () => number; readonly stop: () => void } {
  const { start, step, fire, takes } = Interpreted.prototype;
  let count = 0;
  const counting = <A extends unknown[], R>(original: (this: Interpreted, ...args: A) => R) =>
    function (this: Interpreted, ...args: A): R {
      count++;
      return original.apply(this, args);
    };
  const methods: Pick<Interpreted, Method> = { start, step, fire, takes };
  Object.assign(Interpreted.prototype, {
    start: counting(start),
    step: counting(step),
    fire: counting(fire),
    takes: counting(takes),
  });
  const since = () => {
    const counted = count;
    count = 0;
    return counted;
  };
  return { since, stop: () => Object.assign(Interpreted.prototype, methods) };
}
