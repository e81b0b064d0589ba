import type { Json, Protocol } from '@conclave/core/protocol';
import { literal } from './literal.js';

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
