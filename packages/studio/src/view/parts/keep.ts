/** Remembers a choice, where the browser keeps anything; otherwise it lasts as long as the page. */
export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {}
}

/** The choice that was remembered. */
export function kept<T extends string>(key: string, choices: readonly T[]): T | undefined {
  try {
    const text = localStorage.getItem(key);
    return choices.find((one) => one === text);
  } catch {
    return undefined;
  }
}
