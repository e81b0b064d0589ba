import { catalogue } from '@conclave/algorithms';
import type { Layouts } from '../chart/chart-layout.js';
import { layoutsOf } from '../chart/layouts-of.js';

/** The layouts of the catalogue's statecharts, with the options that change them. */
export const catalogueLayouts = (): Promise<Layouts> =>
  layoutsOf(
    catalogue.flatMap(({ make, charted }) => [{}, ...charted].map((options) => make(options))),
  );
