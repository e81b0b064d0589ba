import { always, type NodeView, type Property } from '@conclave/core/protocol';

/** Of a protocol with states tagged `token` and messages of these types that carry the token. */
export const oneTokenIn = (...types: readonly string[]): Property =>
  always(
    'there is exactly one token, in a node or on its way',
    (system) =>
      types.reduce((sum, type) => sum + system.inFlight(type).length, system.count('token')) === 1,
  );

export const oneToken: Property = oneTokenIn('token');

/**
 * The fencing token where the token counts entries: the count, in the context of the node that has
 * the token.
 */
export const entriesSoFar = ({ context }: NodeView): number => Number(context.entries);
