export const initCommand = (): void => {};
