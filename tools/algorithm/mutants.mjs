/** The mutants of each algorithm: how they are explored, what became of them, why some pass. */
import { createHash } from 'node:crypto';
import { dirname, relative } from 'node:path/posix';
import { defaultSystems } from '@conclave/core/internal/mutation';
import { mutate } from '@conclave/core/mutation';
import { checksOf, read } from './files.mjs';
import { folded, partOf, table } from './parts.mjs';

/**
 * @typedef {object} Subject A protocol with one set of options.
 * @property {string} name such as `A3 ricart-agrawala acknowledged=true`
 * @property {string} options such as `acknowledged=true`
 * @property {import('@conclave/core/protocol').Protocol} protocol
 * @property {object} how how its mutants are explored
 * @property {Readonly<Record<string, string>>} reasons why mutants pass, by pattern
 */

/** The subjects of an algorithm: each set of options with another statechart, or with checks. */
export async function subjectsOf({ id, name, folder, charted, make }) {
  const { mutants = {} } = await checksOf(folder);
  const least = Object.values(mutants).some(({ instead }) => instead) ? [] : [''];
  const options = new Set([...least, ...charted.map(textOf), ...Object.keys(mutants)]);
  return [...options].map((text) =>
    subject([id, name, text].join(' ').trimEnd(), text, make(optionsOf(text)), mutants[text]),
  );
}

function subject(name, options, protocol, { systems, walks, states, parts, reasons = {} } = {}) {
  const how = {
    ...(parts && { leaveOut: parts }),
    ...(systems && { systems: systems(protocol) }),
    ...(walks && { walks: walks(protocol) }),
    ...(states && { limits: { states } }),
  };
  return { name, options, protocol, how, reasons };
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

/** Its fingerprint, the ids of its mutants, and the names of its systems, without any exploration. */
export function planOf({ protocol, how }) {
  const { fingerprint, mutants, leftOut } = mutate(protocol, { ...how, limits: { seconds: 0 } });
  const systems = how.systems ?? defaultSystems(protocol);
  return {
    fingerprint,
    ids: mutants.map(({ id }) => id),
    systems: systems.map((system, at) => ({ system, name: leftOut[at] })),
  };
}

/**
 * Letters for what becomes of a mutant; one that is killed has the number of its system instead, W
 * by a walk, and w if that is by a message that no state handles.
 */
const letters = {
  rejected: 'R',
  equivalent: 'E',
  unreached: 'N',
  survived: 'S',
  inconclusive: 'I',
};
const byWalk = { killed: 'W', unhandled: 'w' };
const open = { N: 'unreached', S: 'survived', I: 'inconclusive' };
/** A response to a timer or a lost message may need it. */
const strong = ', fairness strong';

/**
 * A report in a line: the fingerprint and the digest of all that is the same in each run; the
 * explored systems by their number, each with its states; the walks by the steps that those of the
 * protocol took; and a letter for each mutant. A mutant that is killed has the place of its system
 * in this list (`+` after 9), `a` and so on if no state handles a message, W or w if that is in a
 * walk, and `-` if its definition is refused because of a property.
 */
export function recordOf({ fingerprint, systems, walks, leftOut, mutants }, plan) {
  const names = systems.map(({ name }) => name);
  const numbers = systems.map(({ name, states }) => {
    const at = plan.systems.findIndex((one) => name === one.name || name === one.name + strong);
    return `${at}:${states}`;
  });
  const walked = walks.map(({ name }) => name);
  const results = mutants.map(({ id, fate, by, system }) => {
    if (fate === 'killed') return [id, fate, system, by];
    return fate === 'unhandled'
      ? [id, fate, system]
      : [id, fate, ...(fate === 'rejected' ? [by] : [])];
  });
  const digest = createHash('sha256')
    .update(
      JSON.stringify([
        systems.map(({ name, states }) => [name, states]),
        leftOut,
        results,
        ...(walks.length > 0 ? [walks.map(({ name, steps }) => [name, steps])] : []),
      ]),
    )
    .digest('hex');
  const fates = mutants.map(({ fate, system }) => {
    if (letters[fate]) return letters[fate];
    if (walked.includes(system)) return byWalk[fate];
    const at = names.indexOf(system);
    if (at < 0) return '-';
    if (fate === 'unhandled') return String.fromCharCode(97 + at);
    return at < 10 ? String(at) : '+';
  });
  const taken = walks.map(({ steps }) => `W:${steps}`);
  const parts = [fingerprint, digest.slice(0, 16), ...numbers, ...taken, fates.join('')];
  return parts.join(' ');
}

/** The parts of a record, and what follows from them. */
export function recorded(record, ids) {
  const [fingerprint, digest, ...others] = record.split(' ');
  const fates = [...others.pop()];
  const explored = others.filter((text) => !text.startsWith('W:'));
  const systems = explored.map((text) => {
    const [number, states] = text.split(':').map(Number);
    return { number, states };
  });
  const mutants = ids.map((id, at) => ({ id, fate: open[fates[at]], letter: fates[at] }));
  return { fingerprint, digest, systems, mutants };
}

/** How many mutants became what, and the share of those that are noticed. */
export function countsOf(record) {
  const fates = record.slice(record.lastIndexOf(' ') + 1);
  const count = (pattern) => fates.match(pattern)?.length ?? 0;
  const [killed, passed] = [count(/[-+0-9a-zW]/g), count(/[NSI]/g)];
  const of = Object.fromEntries(
    Object.entries(letters).map(([fate, letter]) => [fate, count(new RegExp(letter, 'g'))]),
  );
  const score = killed + passed === 0 ? 1 : killed / (killed + passed);
  return {
    all: fates.length,
    killed,
    unhandled: count(/[a-z]/g),
    walked: count(/w/gi),
    ...of,
    score,
  };
}

const special = /[.+?^$()[\]\\]/g;
const matching = (pattern) =>
  new RegExp(
    `^${pattern
      .replace(special, '\\$&')
      .replaceAll('*', '.*')
      .replace(/\{([^}]*)\}/g, '(?:$1)')}$`,
  );
/** The only pattern that is a fate: such a mutant differs in that its search takes longer. */
const isFate = (pattern) => pattern === open.I;

/** By pattern: what becomes of the mutants that it explains, and complaints about reasons. */
export function explained({ name, reasons }, mutants) {
  const patterns = Object.keys(reasons).filter((pattern) => !isFate(pattern));
  const tests = new Map(patterns.map((pattern) => [pattern, matching(pattern)]));
  const groups = new Map(Object.keys(reasons).map((pattern) => [pattern, []]));
  const complaints = [];
  for (const { id, fate } of mutants) {
    const found = patterns.find((pattern) => tests.get(pattern).test(id));
    if (fate === undefined) {
      if (found) complaints.push(`${name}: '${found}' matches '${id}', which does not pass`);
      continue;
    }
    const group = groups.get(found ?? (isFate(fate) ? fate : undefined));
    if (group) group.push(fate);
    else complaints.push(`${name}: no reason why '${id}' (${fate}) passes`);
  }
  for (const [pattern, fates] of groups)
    if (fates.length === 0)
      complaints.push(`${name}: a stale reason: '${pattern}' matches no mutant that passes`);
  return { groups, complaints };
}

const columns = [
  'mutants',
  'killed',
  'unhandled',
  'rejected',
  'equivalent',
  'unreached',
  'survived',
  'inconclusive',
  'score',
];

/**
 * The part of a page about mutants.
 *
 * @param {readonly { subject: Subject, ids: readonly string[], record: string }[]} rows
 */
export function mutantsPart(rows, page) {
  const lines = rows.map(({ subject: { options, how }, record }) => {
    const { all, score, walked, ...counts } = countsOf(record);
    const without = how.leaveOut ? `without ${how.leaveOut.join(', ')}` : '';
    const byWalks = walked > 0 ? `${walked} killed by walks` : '';
    const what = [options && `\`${options}\``, without, byWalks].filter(Boolean).join(', ');
    const numbers = columns.slice(1, -1).map((column) => counts[column]);
    return [what || 'by default', all, ...numbers, `${(100 * score).toFixed(1)} %`];
  });
  const link = relative(dirname(page), 'docs/mutation.md');
  const reasons = rows.flatMap(({ subject, ids, record }) => reasonLines(subject, ids, record));
  return folded(
    'Mutants',
    table([`[options](${link})`, ...columns], lines, ['---', ...columns.map(() => '--:')]),
    ...(reasons.length > 0 ? [reasons.join('\n')] : []),
    rows
      .map(({ subject: { options }, record }) => `<!-- mutants ${options}| ${record} -->`)
      .join('\n'),
  );
}

/** A line for each reason, with the mutants that it explains. */
function reasonLines({ options, ...subject }, ids, record) {
  const { groups } = explained(subject, recorded(record, ids).mutants);
  const byReason = new Map();
  for (const [pattern, fates] of groups) {
    if (fates.length === 0) continue; // stale, of which `explained` complains
    const why = subject.reasons[pattern];
    byReason.set(why, [...(byReason.get(why) ?? []), { pattern, fates }]);
  }
  return [...byReason].map(([why, explanations]) => {
    const all = explanations.flatMap(({ fates }) => fates);
    const counts = Object.values(open)
      .map((fate) => [fate, all.filter((one) => one === fate).length])
      .filter(([, count]) => count > 0)
      .map(([fate, count]) => `${count} ${fate}`);
    const which = explanations
      .filter(({ pattern }) => !isFate(pattern))
      .map(({ pattern }) => `\`${pattern}\``);
    const where = options ? `\`${options}\`: ` : '';
    const patterns = which.length > 0 ? `: ${which.join(', ')}` : '';
    return `- ${where}${counts.join(', ')}. ${why}${patterns}`;
  });
}

/** The records on a page, by the options. */
export function recordsOn(path) {
  const part = partOf(read(path), 'mutants');
  return new Map(
    [...part.matchAll(/^<!-- mutants (.*)\| (.*) -->$/gm)].map(([, options, record]) => [
      options,
      record,
    ]),
  );
}
