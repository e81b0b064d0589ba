/** Sizes of type in the drawing of a statechart, in pixels. */
export const titleSize = 13;
export const rowSize = 11;
export const rowHeight = 15;

/**
 * Widths of the printable ASCII characters, from the space on, in hundredths of the size: Helvetica
 * and the fonts made to its measure.
 */
const widths = [
  28, 28, 35, 56, 56, 89, 67, 19, 33, 33, 39, 58, 28, 33, 28, 28, 56, 56, 56, 56, 56, 56, 56, 56,
  56, 56, 28, 28, 58, 58, 58, 56, 102, 67, 67, 72, 72, 67, 61, 78, 72, 28, 50, 67, 56, 83, 72, 78,
  67, 78, 72, 67, 61, 72, 67, 94, 67, 67, 61, 28, 28, 28, 47, 56, 33, 56, 56, 50, 56, 56, 28, 56,
  56, 22, 22, 50, 22, 83, 56, 56, 56, 56, 33, 50, 28, 56, 50, 72, 50, 50, 50, 33, 26, 33, 58,
];
/** Other sans-serif fonts are up to this much wider. */
const margin = 1.08;

/** How much room a text takes, in pixels: rounded up, and enough for the usual sans-serif fonts. */
export function widthOf(text: string, size: number, bold = false): number {
  let sum = 0;
  for (const character of text) sum += widths[character.charCodeAt(0) - 32] ?? 100;
  return Math.ceil((sum * size * margin * (bold ? 1.06 : 1)) / 100);
}

/** Breaks a text at spaces where it would be wider than `limit` pixels. */
export function wrapped(text: string, size: number, limit: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer, size) > limit) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}
