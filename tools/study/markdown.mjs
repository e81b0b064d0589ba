/** Markdown of the study: tables, figures, numbers, commands. */
export { fixed, folded, table } from '../algorithm/parts.mjs';

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
