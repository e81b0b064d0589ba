/**
 * Markdown tables of what was measured and explored. What was not is said as such, never a value.
 */

/** Undefined: not known. */
type Cell = string | number | undefined;

/** In place of what is not known; a table with it says what it means. */
const missing = '–';
const legend = `${missing}: not explored, not measured, or not recorded.`;

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

const textOf = (cell: Cell): string =>
  cell === undefined || cell === '' || (typeof cell === 'number' && !Number.isFinite(cell))
    ? missing
    : String(cell);

/**
 * A Markdown table; below it a legend if something is not known.
 * @param align how the columns are aligned, as Markdown; default left.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  align: readonly string[] = head.map(() => '---'),
): string {
  const cells = rows.map((row) => row.map(textOf));
  const isComplete = cells.every((row) => row.every((text) => text !== missing));
  return [line(head), line(align), ...cells.map(line), ...(isComplete ? [] : ['', legend])].join(
    '\n',
  );
}

/** With so many digits; undefined for a quotient of nothing. */
export const fixed = (value: number | undefined, digits: number): string | undefined =>
  value === undefined || !Number.isFinite(value) ? undefined : value.toFixed(digits);
