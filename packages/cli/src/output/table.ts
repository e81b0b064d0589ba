import Table from 'cli-table3';

const bare = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};

/** Rows as text in aligned columns, without lines between them; no rows, no text. */
export function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const cells = new Table({ chars: bare, style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] } });
  cells.push(...rows.map((row) => [...row]));
  const lines = cells.toString().split('\n');
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
