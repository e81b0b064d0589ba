import type { Property, Protocol } from '@conclave/core/protocol';

/** What is asked of the whole: safety, liveness, numbers. What each step promises is broken first by any fault, which says little of its harm. */
export const ofWholes = (properties: readonly Property[]): readonly Property[] => properties.filter(({ kind }) => kind !== 'everyStep');

/** `protocol`, asked for {@link ofWholes} only: for tests of what faults and mistakes lead to. */
export const withoutSteps = <P extends Pick<Protocol, 'properties'>>(protocol: P): P => ({
  ...protocol,
  properties: ofWholes(protocol.properties),
});
