import { ConclaveError } from '@conclave/core/protocol';

const end = '<!-- end of generated part -->';
const anyBegin = /^<!-- generated: .* -->$/;

/**
 * `page` with `generated` between the two marker lines of one of its generated parts,
 * `<!-- generated: … -->` and `<!-- end of generated part -->`. A page that is up to date is
 * returned unchanged.
 *
 * @param part the text of the first marker: a page may have several parts. Default
 * `npm run generate`.
 * @throws {ConclaveError} `bad-input`: a missing or duplicate marker.
 * @example expect(readme).toBe(replaceGenerated(readme, specification(protocol)))
 */
export function replaceGenerated(
  page: string,
  generated: string,
  part = 'npm run generate',
): string {
  const lines = page.split('\n');
  const begin = `<!-- generated: ${part} -->`;
  const [first, ...more] = lines.flatMap((line, index) => (line.trim() === begin ? [index] : []));
  if (first === undefined)
    throw new ConclaveError(
      'bad-input',
      `The page has no line '${begin}'`,
      `Put '${begin}' and '${end}', each on a line of its own, around the part to be generated.`,
    );
  if (more.length > 0)
    throw new ConclaveError(
      'bad-input',
      `The page has the line '${begin}' more than once (lines ${[first, ...more].map((index) => index + 1).join(', ')})`,
      'Leave one of them.',
    );
  const last = lines.findIndex(
    (line, index) => index > first && (line.trim() === end || anyBegin.test(line.trim())),
  );
  if (lines[last]?.trim() !== end)
    throw new ConclaveError(
      'bad-input',
      `The part that begins at line ${first + 1} has no line '${end}'`,
      'Put one behind it.',
    );
  return [...lines.slice(0, first + 1), '', generated.trim(), '', ...lines.slice(last)].join('\n');
}
