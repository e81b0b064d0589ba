/** Judges all mutants of some algorithms, and writes how many there are, and are noticed. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { catalogue } from '@conclave/algorithms';
import { write } from './files.mjs';
import { formatted } from './lists.mjs';
import { idsOf, listFile, listsBeside, mutantPages, noticedIn, refutedBy } from './mutants.mjs';

const script = fileURLToPath(new URL('./mutate.run.mjs', import.meta.url));

/**
 * Several at a time. Keeps each report below reports/mutants, and writes each `mutants.json` with the
 * reasons that it had.
 *
 * @returns what is wrong: a mutant that passes without a reason, a reason that explains none
 */
export async function judgeMutants(entries, jobs) {
  const pages = await mutantPages(entries, entries.length === catalogue.length);
  const waiting = pages.flatMap(({ id, path, subjects }) =>
    subjects.map((subject, place) => ({ id, place, subject, before: listsBeside(path) })),
  );
  const lists = new Map();
  const wrong = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { subject, before } = next;
      const { excused = {} } = before[subject.options] ?? {};
      const report = await judged(next);
      const list = { noticed: noticedIn(report), of: idsOf(subject).length, excused };
      lists.set(subject, list);
      wrong.push(...refutedBy(report, subject, list));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  for (const { path, subjects } of pages) {
    const found = subjects.map((subject) => [subject.options, lists.get(subject)]);
    const text = JSON.stringify(Object.fromEntries(found));
    write(listFile(path), formatted('mutants.json', text));
  }
  return wrong;
}

async function judged({ id, place, subject }) {
  const { stdout } = await promisify(execFile)(process.execPath, [script, id, String(place)], {
    maxBuffer: 2 ** 28,
  });
  write(`reports/mutants/${subject.name}.json`, stdout);
  const report = JSON.parse(stdout);
  const [noticed, of] = [noticedIn(report), report.mutants.length];
  console.log(`${noticed} of ${of}  ${subject.name}, in ${report.seconds.toFixed(0)} s`);
  return report;
}
