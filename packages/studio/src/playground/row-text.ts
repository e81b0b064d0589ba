import type { Json, Protocol } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';

/**
 * A module to be changed: the charts of a protocol of the catalogue as they are written, with the
 * names of its actions and guards, and its properties.
 */
export function rowText(protocol: Protocol, options: Readonly<Record<string, Json>> = {}): string {
  const { name: id, title, messages, commands, roles } = protocol;
  const given = Object.keys(options).length > 0 ? `, ${JSON.stringify(options)}` : '';
  const charts = Object.entries(roles).map(([role, { machine }]) => chartOf(role, machine));
  const meanings = [...Object.entries(messages), ...Object.entries(commands)].map(
    ([event, { meaning }]) => ` * - ${event}: ${meaning}`,
  );
  return `/**
 * ${title}. Change a chart, or add a property.
 *
 * Messages and commands:
${meanings.join('\n')}
 */
import { protocolOf } from '@conclave/algorithms';
import { always, defineProtocol, leadsTo, never, sometimes } from '@conclave/core/protocol';
import { createMachine } from 'xstate';

const right = protocolOf('${id}'${given});

${charts.map(({ text }) => text).join('\n\n')}

export const protocol = defineProtocol({
  ...right,
  name: 'my-${id}',
  title: ${JSON.stringify(`${title}, changed`)},
  roles: {
    ...right.roles,
${charts.map(({ field }) => field).join('')}  },
  properties: [
    ...right.properties,
    // always('…', (system) => system.count('critical') <= 1),
  ],
});
`;
}

type Machine = Protocol['roles'][string]['machine'];

function chartOf(role: string, { config, implementations }: Machine) {
  const access = /^\w+$/.test(role) ? `.${role}` : `[${JSON.stringify(role)}]`;
  const variable = `${role.replace(/\W(\w?)/g, (_, letter: string) => letter.toUpperCase())}States`;
  const text = statesText(config);
  if (text === undefined)
    return { text: `// The chart of ${role} has functions in it: it stays as it is.`, field: '' };
  const names = (['actions', 'guards'] as const).flatMap((kind) => {
    const all = Object.keys(implementations[kind] ?? {});
    return all.length > 0 ? [`// ${kind}: ${all.join(', ')}`] : [];
  });
  const machine = `right.roles${access}.machine`;
  return {
    text: `${names.join('\n')}\nconst ${variable} = ${text};`,
    field: `    ${/^\w+$/.test(role) ? role : JSON.stringify(role)}: {
      ...right.roles${access},
      machine: createMachine({ ...${machine}.config, states: ${variable} }, ${machine}.implementations),
    },
`,
  };
}

/** The states as they are written; undefined where a part of them is a function. */
function statesText(config: Machine['config']): string | undefined {
  try {
    return literal(config.states ?? {}, { description: true });
  } catch {
    return undefined;
  }
}

/** A chart in the order in which one reads it; empty parts say nothing. */
const order = ['id', 'initial', 'tags', 'entry', 'exit', 'always', 'on', 'after', 'states'];

/**
 * The states of a chart as JavaScript, in the way in which charts are written.
 *
 * @param shown whether descriptions, such as the numbers of rules, are kept
 * @throws {ConclaveError} `bad-input` where a part is a function.
 */
export function literal(
  value: unknown,
  shown: { readonly description: boolean } = { description: false },
  depth = 0,
): string {
  if (Array.isArray(value)) {
    const all = value.map((one) => literal(one, shown, depth));
    return all.length === 1 ? (all[0] ?? '') : `[${all.join(', ')}]`;
  }
  if (typeof value === 'function')
    throw badInput('The chart has a function in it', 'Choose a mutant that changes names only.');
  if (typeof value !== 'object' || value === null) return quoted(value);
  const entries = Object.entries(value)
    .filter(
      ([key, one]) =>
        (shown.description || key !== 'description') && !(key === 'after' && isEmpty(one)),
    )
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const all = entries.map(([key, one]) => {
    const text = literal(one, shown, depth + 1);
    // from a state of the root, its siblings are known by their names
    const target =
      key === 'target' && depth <= 4 ? text.replace(/^'#[\w-]+\.(\w+)'$/, "'$1'") : text;
    return `${/^\w+$/.test(key) ? key : quoted(key)}: ${target}`;
  });
  const line = all.length === 0 ? '{}' : `{ ${all.join(', ')} }`;
  const indent = '  '.repeat(depth);
  if (line.length + indent.length < 80 && !line.includes('\n')) return line;
  return `{\n${all.map((one) => `${indent}  ${one},\n`).join('')}${indent}}`;
}

const isEmpty = (value: unknown): boolean => Object.keys(Object(value)).length === 0;

const quoted = (value: unknown): string => JSON.stringify(value).replace(/^"(.*)"$/, "'$1'");
