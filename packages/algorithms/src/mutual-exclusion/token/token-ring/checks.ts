import { because, type Mutants } from '../../../checks/checks.js';

const reasons = because(
  'A start is no step: a node that waits from the start, without a request, only makes one entry more, which no property counts',
  'starting: always * to wanted retarget',
);

export const mutants: Mutants = { '': { reasons }, 'cancel=true': { reasons } };
