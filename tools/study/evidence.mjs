/**
 * What the explorer says about a system, with the command that says it again; and the Markdown of
 * the study: tables, figures, numbers, commands.
 */
import { catalogue } from '@conclave/algorithms';
import { explore } from '@conclave/check';
import { faults } from '@conclave/core/internal';
import { topology } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';

export { fixed, folded, table } from '../algorithm/files.mjs';

export const entryOf = (id) => catalogue.find((entry) => entry.id === id);

/** `[A7](…)`, linked to its page. */
export const linked = (id, text = id) =>
  `[${text}](../../packages/algorithms/src/${entryOf(id).folder}/README.md)`;

/** How the command line calls a budget. */
const flags = {
  commands: 'entries',
  initiators: 'initiators',
  order: 'order',
  ...faults.perFault((name) => faults.kinds[name].option),
};

/** `npx conclave check …` */
function checkCommand(id, spec, { options = {}, ...budget }) {
  const words = Object.entries(budget).map(([name, value]) => {
    if (!flags[name]) throw new Error(`The command line has no option for ${name}.`);
    return `--${flags[name]} ${value}`;
  });
  return [
    `npx conclave check ${id} --topology ${spec}`,
    ...Object.entries(options).map(([name, value]) => `--option ${name}=${value}`),
    ...words,
  ].join(' ');
}

/**
 * Explores a whole system: how many states it has, and which properties are violated, after how many
 * steps of which run.
 *
 * @param {object} system
 * @param {object} [system.options] of the protocol
 * @param {readonly object[]} [system.properties] in place of the protocol's
 * @param {object} [system.machine] in place of that of the role `node`
 */
export function explored(id, spec, { options = {}, properties, machine, ...budget } = {}) {
  const given = entryOf(id).make(options);
  const { node } = given.roles;
  const protocol = machine
    ? { ...given, roles: { ...given.roles, node: { ...node, machine } } }
    : given;
  const found = explore(protocol, topology(spec), { ...budget, ...(properties && { properties }) });
  if (!found.complete) throw new Error(`${id} on ${spec}: the search ended at a limit.`);
  const violated = found.properties
    .filter(({ verdict }) => verdict === 'violated')
    .map(({ name, trace }) => ({
      name,
      steps: trace.lines.length,
      text: linesText(trace.lines).trimEnd(),
    }));
  return { states: found.states, violated };
}

/** `explored`, with the command. */
export const checked = (id, spec, system = {}) => ({
  ...explored(id, spec, system),
  spec,
  command: checkCommand(id, spec, system),
});

export const violationOf = ({ violated }, name) => violated.find((one) => one.name === name);

/** The names of properties of the locks. */
export const names = {
  exclusion: 'at most one node is in the critical section',
  entry: 'every node that wants to enter eventually enters',
};

export const verdictText = ({ violated }) =>
  violated.length === 0
    ? 'all hold'
    : violated.map(({ name, steps }) => `violated: ${name} (${steps} steps)`).join('; ');

/** After how many steps a node waits forever, or else how many states were searched. */
export function entryCell(found) {
  const run = violationOf(found, names.entry);
  return run ? `**${run.steps} steps**` : number(found.states);
}

/** A run, as the command line prints it. */
export const trace = (text) => `\`\`\`text\n${text}\n\`\`\``;

/** A whole number with separators: 1,024. */
export const number = (value) => value.toLocaleString('en');

/** The picture `file` beside the page, and what it shows: the text says it to those who do not see it. */
export const figure = (file, text) => `![${text}](${file})`;

/** A command that a reader can copy. */
export const command = (...lines) => `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;

/** `1, 2 and 3`. */
export const listed = (items) =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** The parts of a page, with a blank line between any two; what is undefined is left out. */
export const page = (...parts) =>
  parts
    .flat()
    .filter((part) => part !== undefined)
    .join('\n\n');
