/** The source of a module: one that starts from a protocol of the catalogue; and as a part of a link. */
import type { Json, Protocol } from '@conclave/core/protocol';
import { badInput } from '../base/input.js';

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

/**
 * The line of a module that a problem is about. Of a chart that is refused an engine knows only where
 * `defineProtocol` or `createMachine` is called. Then it is the line of the last name that the message
 * quotes and the module has: the first in which the name is a key below what it is a name of, as an
 * action below `actions`.
 */
export function lineOf(
  source: string,
  { what, line }: { readonly what: string; readonly line?: number | undefined },
): number | undefined {
  const lines = source.split('\n');
  if (line !== undefined && !/\b(defineProtocol|createMachine)\b/.test(lines[line - 1] ?? ''))
    return line;
  const indentOf = (at: number) => lines[at]?.search(/\S/) ?? 0;
  const outerOf = (at: number) =>
    lines.slice(0, at).findLast((outer, place) => outer && indentOf(place) < indentOf(at)) ?? '';
  for (const [, kind, said = ''] of [...what.matchAll(names)].reverse()) {
    if (kind === 'on' || kind === 'of') continue; // where it is, not what it is
    const name = said.replace(/^.*[.]/, '');
    const places = [...lines.keys()].filter((at) =>
      new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(lines[at] ?? ''),
    );
    const keys = places.filter((at) => new RegExp(`^\\s*'?${name}'?:`).test(lines[at] ?? ''));
    const found = keys.find((at) => kind && outerOf(at).includes(`${kind}s:`));
    const [first] = places;
    if (first !== undefined) return (found ?? first) + 1;
  }
  return line;
}

/** What a message quotes, has in brackets, or writes as `Math.random`, behind what it is. */
const names = /(?:\b(\w+) )?(?:['(](?=[\w.-]+[')])|\b(?=\w+\.\w))([\w.-]+)/g;

// A text as a part of a link, and back: deflated, in base64url.

/** More than anybody writes: a link that unpacks to more was made to fill the memory. */
const mostCharacters = 400_000;

export async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of new Uint8Array(await new Response(stream).arrayBuffer()))
    binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export interface UnpackedText {
  readonly text: string;
  /** Whether its end is missing. */
  readonly isCut: boolean;
}

/** What `pack` was given; of a text that was cut off or changed, what comes before. */
export async function unpack(code: string): Promise<UnpackedText> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  const reader = stream.readable.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let isCut = false;
  const reading = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      if (text.length > mostCharacters) await reader.cancel().then(() => Promise.reject());
    }
  })().catch(() => {
    isCut = true;
  });
  const [whole = ''] = /^[\w-]*/.exec(code) ?? [];
  try {
    // A stream that fails forgets what nobody has read: it is written in pieces, and read at once.
    for (const piece of whole.match(/.{1,64}/g) ?? []) {
      await writer.write(bytesOf(piece));
      await new Promise((resolve) => setTimeout(resolve));
    }
    await writer.close();
  } catch {
    isCut = true;
  }
  await reading;
  return { text, isCut: isCut || whole !== code };
}

/** Of base64url without padding. */
const bytesOf = (code: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    atob(
      code
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .slice(0, code.length % 4 === 1 ? -1 : undefined),
    ),
    (character) => character.charCodeAt(0),
  );
