/** Judges all mutants of some algorithms, and records them on their pages. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { catalogue } from '@conclave/algorithms';
import { fileOf, read, write } from './files.mjs';
import { linkPage, linkSubject } from './link.mjs';
import { explained, mutantsPart, planOf, recorded, recordOf, subjectsOf } from './mutants.mjs';
import { replacePart } from './parts.mjs';

const script = fileURLToPath(new URL('./mutate.run.mjs', import.meta.url));

/** The pages with records, each with its subjects, of these algorithms. */
export async function recordedPages(entries, withLink) {
  const pages = await Promise.all(
    entries.map(async (entry) => ({
      id: entry.id,
      path: fileOf(entry.folder, 'README.md'),
      subjects: await subjectsOf(entry),
    })),
  );
  return withLink ? [...pages, { id: 'link', path: linkPage, subjects: [linkSubject()] }] : pages;
}

/**
 * Several at a time. Keeps each report below reports/mutants, and writes the pages.
 *
 * @returns what is wrong: a mutant that passes without a reason, a reason that explains none
 */
export async function judgeMutants(entries, jobs) {
  const pages = await recordedPages(entries, entries.length === catalogue.length);
  const waiting = pages.flatMap(({ id, subjects }) =>
    subjects.map((subject, place) => ({ id, subject, place })),
  );
  const rows = new Map();
  const wrong = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { row, complaints } = await judged(next);
      rows.set(next.subject, row);
      wrong.push(...complaints);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  for (const { path, subjects } of pages) {
    const part = mutantsPart(
      subjects.map((subject) => rows.get(subject)),
      path,
    );
    write(path, replacePart(read(path), 'mutants', part));
  }
  return wrong;
}

async function judged({ id, subject, place }) {
  const { stdout } = await promisify(execFile)(process.execPath, [script, id, String(place)], {
    maxBuffer: 2 ** 28,
  });
  write(`reports/mutants/${subject.name}.json`, stdout);
  const report = JSON.parse(stdout);
  const plan = planOf(subject);
  const record = recordOf(report, plan);
  const score = `${(100 * report.score).toFixed(1)} %`.padStart(7);
  const seconds = report.seconds.toFixed(0);
  console.log(`${score}  ${subject.name}, ${plan.ids.length} mutants in ${seconds} s`);
  const { complaints } = explained(subject, recorded(record, plan.ids).mutants);
  return { row: { subject, ids: plan.ids, record }, complaints };
}
