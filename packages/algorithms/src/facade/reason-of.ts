/** The reason of `signal`, when it aborts. */
export const reasonOf = <Reason>(signal: AbortSignal): Promise<Reason> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
