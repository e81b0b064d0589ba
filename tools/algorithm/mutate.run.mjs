/**
 * One set of options of an algorithm, by its id and place, in a process of its own, so that the
 * memory of its mutants is freed with it. Prints the report as JSON.
 */
import { catalogue } from '@conclave/algorithms';
import { mutate } from '@conclave/check';
import { linkSubject, subjectsOf } from './mutants.mjs';

const [id, place] = process.argv.slice(2);
const entry = catalogue.find((one) => one.id === id);
const subjects = entry ? await subjectsOf(entry) : [linkSubject()];
const { protocol, how } = subjects[Number(place)];
process.stdout.write(JSON.stringify(mutate(protocol, how)));
