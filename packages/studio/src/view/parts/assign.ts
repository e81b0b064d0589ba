/** A handler that gives a signal this value. */
export const assign =
  <T>(signal: { value: T }, value: T) =>
  (): void => {
    signal.value = value;
  };
