/** The form of bundled modules that this Conclave writes and reads. */
export const bundleForm = 1;

export const bundleKey = '// conclave-bundle:';

/** The first line of a bundled module. `version` is that of Conclave. */
export const bundleHeader = (version: string, protocols: readonly string[]): string =>
  `${bundleKey} ${bundleForm}; Conclave ${version}; ${protocols.join(', ')}`;
