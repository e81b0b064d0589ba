import type { Property, Protocol } from '@conclave/core/protocol';

/**
 * The properties except those of single steps. Any fault violates some of these first, which says
 * little about its consequences.
 */
export const ofWholes = (properties: readonly Property[]): readonly Property[] =>
  properties.filter(({ kind }) => kind !== 'everyStep');

/** `protocol` with {@link ofWholes} only: for tests of the consequences of faults. */
export const withoutSteps = <P extends Pick<Protocol, 'properties'>>(protocol: P): P => ({
  ...protocol,
  properties: ofWholes(protocol.properties),
});
