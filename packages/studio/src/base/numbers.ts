/** `12,345` */
export const grouped = (value: number): string => value.toLocaleString('en-US');

/** `1 entry`, `2 entries` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** `250 ms`, `1.5 s` */
export const duration = (seconds: number): string =>
  seconds < 1
    ? `${Math.round(seconds * 1000)} ms`
    : `${seconds.toLocaleString('en-US', { maximumFractionDigits: 1 })} s`;

export const tenths = (value: number): number => Math.round(value * 10) / 10;

/** A point in the data of an SVG path. */
export const pointText = (x: number, y: number): string => `${tenths(x)} ${tenths(y)}`;
