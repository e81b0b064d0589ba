import { leasedMajority, naimiTrehel, ricartAgrawala } from '@conclave/algorithms';

const made = { leasedMajority, naimiTrehel, ricartAgrawala: () => ricartAgrawala };

/** The protocol of a run. */
export const protocolOf = ({ name, options }) => made[name](options);
