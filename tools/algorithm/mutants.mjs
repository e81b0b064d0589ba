/**
 * The mutants of each algorithm: how they are explored, how many are noticed, and why some pass. Its
 * folder's `mutants.json` has the numbers and the reasons, by options.
 */
import { dirname, relative } from 'node:path/posix';
import { chosenMutants } from '@conclave/core/internal/mutation';
import { checksOf, fileOf, has, read } from './files.mjs';
import { linkPage, linkSubject } from './link.mjs';
import { folded } from './parts.mjs';

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
  const { mutants = {} } = await checksOf(folder);
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
export const listsBeside = (page) => (has(listFile(page)) ? JSON.parse(read(listFile(page))) : {});

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
