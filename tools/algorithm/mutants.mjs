/**
 * The mutants of each algorithm: how they are explored, how many are noticed, and why some pass. Its
 * folder's `mutants.json` has the numbers and the reasons, by options.
 *
 * As a process it judges one set of options of an algorithm, by its id and place, so that the memory
 * of its mutants is freed with it, and prints the report as JSON.
 */

import { execFile } from 'node:child_process';
import { dirname, relative } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { catalogue } from '@conclave/algorithms';
import { mutate } from '@conclave/check';
import { chosenMutants } from '@conclave/check/internal';
import { reliableLink } from '@conclave/core/internal/simulation';
import { checksOf, fileOf, folded, has, read, write } from './files.mjs';
import { formatted } from './lists.mjs';

/**
 * @typedef {object} Subject A protocol with one set of options.
 * @property {string} name such as `A3 ricart-agrawala acknowledged=true`
 * @property {string} options such as `acknowledged=true`, or `default`
 * @property {import('@conclave/core/protocol').Protocol} protocol
 * @property {object} how how its mutants are explored
 */

/**
 * @typedef {object} List What is known of the mutants of a subject.
 * @property {number} noticed how many are noticed at least: killed, or rejected
 * @property {number} of how many there are
 * @property {Readonly<Record<string, readonly string[]>>} excused by reason, the ids of those that pass
 */

/** The pages of these algorithms, each with its subjects. */
export async function mutantPages(entries, withLink) {
  const pages = await Promise.all(
    entries.map(async (entry) => ({
      id: entry.id,
      path: fileOf(entry.folder, 'README.md'),
      subjects: await subjectsOf(entry),
    })),
  );
  return withLink ? [...pages, { id: 'link', path: linkPage, subjects: [linkSubject()] }] : pages;
}

/** The subjects of an algorithm: each set of options with another statechart, or with checks. */
export async function subjectsOf({ id, name, folder, charted, make }) {
  const { mutants: { withoutOptions, ...withOptions } = {} } = await checksOf(folder);
  const mutants = { ...(withoutOptions && { '': withoutOptions }), ...withOptions };
  const least = Object.values(mutants).some(({ instead }) => instead) ? [] : [''];
  const options = new Set([...least, ...charted.map(textOf), ...Object.keys(mutants)]);
  return [...options].map((text) =>
    subject([id, name, text].join(' ').trimEnd(), text, make(optionsOf(text)), mutants[text]),
  );
}

function subject(name, options, protocol, { systems, walks, states, parts } = {}) {
  const how = {
    ...(parts && { leaveOut: parts }),
    ...(systems && { systems: systems(protocol) }),
    ...(walks && { walks: walks(protocol) }),
    ...(states && { limits: { states } }),
  };
  return { name, options: options || 'default', protocol, how };
}

const textOf = (options) =>
  Object.entries(options)
    .map(([option, value]) => `${option}=${value}`)
    .join(' ');

/** `greedy=2 holder=b`; a list is `voters=a,b`. */
const optionsOf = (text) =>
  Object.fromEntries(
    [...text.matchAll(/(\S+?)=(\S*)/g)].map(([, option, value]) => [option, typedValue(value)]),
  );

function typedValue(text) {
  if (text.includes(',')) return text.split(',');
  return /^(true|false|\d+)$/.test(text) ? JSON.parse(text) : text;
}

/** Beside a page. */
export const listFile = (page) => `${dirname(page)}/mutants.json`;

/** @returns {Readonly<Record<string, List>>} by the options of the subjects */
export const listsBeside = (page) =>
  has(listFile(page)) ? checkedLists(JSON.parse(read(listFile(page))), listFile(page)) : {};

/** @throws {Error} where a reason has no list of ids. */
export function checkedLists(lists, file) {
  for (const { excused = {} } of Object.values(lists))
    for (const [why, ids] of Object.entries(excused))
      if (!Array.isArray(ids))
        throw new Error(
          `${file}: "${why}": ${JSON.stringify(ids)} in excused. Give each reason a list of ids, as in "No run reaches it": ["ID"].`,
        );
  return lists;
}

/** The ids of the mutants that are judged, without any exploration. */
export const idsOf = ({ protocol, how }) =>
  chosenMutants(protocol, undefined, how.leaveOut).map(({ id }) => id);

export const noticedIn = ({ counts: { killed, unhandled, rejected } }) =>
  killed + unhandled + rejected;

const excusedIn = ({ excused }) => Object.values(excused).flat();

/** What a list says wrongly about these mutants, in sentences; nothing is explored. */
export function staleIn({ name, ...subject }, list) {
  if (!list) return [`${name}: mutants.json has no list`];
  const ids = idsOf(subject);
  return [
    ...(list.of === ids.length ? [] : [`${name}: ${ids.length} mutants, not ${list.of}`]),
    ...excusedIn(list)
      .filter((id, at, all) => !ids.includes(id) || all.indexOf(id) < at)
      .map((id) => `${name}: '${id}' is no mutant, or excused twice`),
  ];
}

const passing = ['unreached', 'survived', 'inconclusive'];

/**
 * What a list says wrongly about a report of all mutants, in sentences: too few are noticed, one
 * passes without a reason, or one with a reason does not pass.
 */
export function refutedBy(report, { name }, list) {
  const excused = excusedIn(list);
  const passed = report.mutants.filter(({ fate }) => passing.includes(fate));
  const noticed = noticedIn(report);
  return [
    ...(noticed < list.noticed ? [`${name}: ${noticed} are noticed, not ${list.noticed}`] : []),
    ...passed
      .filter(({ id }) => !excused.includes(id))
      .map(({ id, fate }) => `${name}: no reason why '${id}' (${fate}) passes`),
    ...excused
      .filter((id) => !passed.some((one) => one.id === id))
      .map((id) => `${name}: '${id}' is excused, and does not pass`),
  ];
}

/** Of all these sets of options; mutants that neither are noticed nor pass are equivalent. */
export function sumText(lists) {
  const sum = (numberOf) => lists.reduce((total, list) => total + numberOf(list), 0);
  const [noticed, all] = [sum((list) => list.noticed), sum((list) => list.of)];
  const excused = sum((list) => excusedIn(list).length);
  const others = { equivalent: all - noticed - excused, excused };
  const shown = Object.entries(others).filter(([, count]) => count > 0);
  return [`${noticed} of ${all}`, ...shown.map(([what, count]) => `${count} ${what}`)].join(', ');
}

/** The part of a page about mutants. */
export function mutantsPart(lists, page) {
  const link = relative(dirname(page), 'docs/mutation.md');
  const lines = Object.entries(lists).flatMap(([options, list]) => [
    `- ${options === 'default' ? 'by default' : `\`${options}\``}: ${sumText([list])}`,
    ...Object.entries(list.excused).map(([why, ids]) => `  - ${ids.length}: ${why}`),
  ]);
  return folded(
    'Mutants',
    `How many [mutants](${link}) its properties notice, and why [others](mutants.json) pass:`,
    lines.join('\n'),
  );
}

// The reliable link of core, whose mutants are judged as those of an algorithm.

const link = reliableLink({ window: 2 });

/**
 * The protocol has no example of a payload. A round trip takes less than the retransmission timeout
 * of 200 ms.
 */
function linkSystems() {
  const topology = link.topology.example(2);
  const carry = (...payloads) => ({
    inputs: payloads.map((payload) => ({ type: 'transmit', payload })),
  });
  const timed = { time: { kind: 'exact', delay: [0, 50] } };
  const fromOne = { initiators: ['a'], ...timed };
  const mayCrash = ({ id }) => id === 'a';
  return [
    { ...carry(1), ...fromOne },
    { ...carry(1), ...fromOne, losses: 1 },
    { ...carry(1), ...fromOne, losses: 2 },
    { ...carry(1), ...fromOne, duplications: 1 },
    { ...carry(1), ...timed },
    { ...carry(1, 2), ...fromOne },
    { ...carry(1, 2), ...fromOne, losses: 1 },
    // More messages than the window holds.
    { ...carry(1, 2, 3), ...fromOne },
    // The sender may restart as a new incarnation.
    { ...carry(1, 2), ...fromOne, crashes: 1, restarts: 1, mayCrash },
  ].map((budget) => ({ topology, budget, fairness: 'strong' }));
}

const linkSubject = () => ({
  name: 'reliable-link',
  options: 'default',
  protocol: link,
  how: { systems: linkSystems() },
});

export const linkPage = 'packages/core/src/channel/reliable/README.md';

// Judges all mutants of some algorithms, and writes how many there are, and are noticed.

const script = fileURLToPath(import.meta.url);

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

if (process.argv[1] === script) {
  const [id, place] = process.argv.slice(2);
  const entry = catalogue.find((one) => one.id === id);
  const subjects = entry ? await subjectsOf(entry) : [linkSubject()];
  const { protocol, how } = subjects[Number(place)];
  process.stdout.write(JSON.stringify(mutate(protocol, how)));
}
