/** The systems that `npm run verify` explores: those of the algorithms' folders, and the reference. */
import { catalogue } from '@conclave/algorithms';
import { checksOf } from '../algorithm/files.mjs';
import { reference } from '../bench/explore/reference.mjs';

/** The model that the benchmark explores with other tools, too. */
const referenceModel = () => [
  { system: 'Reference model, 3 nodes', options: '3 entries each, FIFO', runs: [reference(3, 3)] },
  {
    system: 'Reference model, 4 nodes',
    options: 'an entry each, FIFO',
    runs: [reference(4, 1)],
    large: true,
  },
];

/** Those of one algorithm, each with its place among them; of the reference model without an id. */
export async function systemsOf(id) {
  const entry = catalogue.find((one) => one.id === id);
  const { verified = () => [] } = entry
    ? await checksOf(entry.folder)
    : { verified: referenceModel };
  return verified().map((system, place) => ({ ...system, id, place }));
}

/** All, in the order of the catalogue. */
export async function allSystems() {
  const ids = [undefined, ...catalogue.map(({ id }) => id)];
  return (await Promise.all(ids.map(systemsOf))).flat();
}

export const nameOf = ({ system, options }) => `${system}, ${options}`;
