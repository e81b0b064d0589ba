import { badInput } from '../base/bad-input.js';

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
