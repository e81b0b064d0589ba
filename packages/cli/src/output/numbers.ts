/** `12,345` */
export const number = (value: number): string => value.toLocaleString('en-US');
/** `1,234.57` */
export const decimal = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });
/** `1 entry`, `2 entries` */
export const counted = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;
