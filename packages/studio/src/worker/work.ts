/** What the worker does. */
export function work(): void {}
