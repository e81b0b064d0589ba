import type { Property, PropertyOf } from './property.js';

/** Of the kinds that are decided by single states. */
export type StateProperty = PropertyOf<'always' | 'never' | 'sometimes'>;

/** Whether single states decide a property. */
export const isOfStates = (property: Property): property is StateProperty => !isOfRuns(property);

/** Whether a property is about runs, not single states: some searches do not keep runs. */
export const isOfRuns = ({ kind }: { readonly kind: Property['kind'] }): boolean =>
  kind !== 'always' && kind !== 'never' && kind !== 'sometimes';

/** Whether a run counts only if optional commands come that stay possible. */
export const reliesOnCommands = (kind: Property['kind']): boolean =>
  kind === 'eventually' || kind === 'almostSurely';
