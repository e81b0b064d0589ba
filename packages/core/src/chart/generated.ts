import { ConclaveError } from '../protocol/error.js';

const first = { shown: '<!-- generated: … -->', is: /^<!-- generated:.*-->$/ };
const last = { shown: '<!-- end of generated part -->', is: /^<!-- end of generated part -->$/ };

/**
 * `readme` with `generated` between its two marker lines, `<!-- generated: … -->` and `<!-- end of generated part -->`.
 * A page that has not drifted comes back as it is.
 *
 * @throws {ConclaveError} `bad-input`: a marker that is missing, doubled or out of order.
 * @example expect(readme).toBe(replaceGenerated(readme, specification(protocol)))
 */
export function replaceGenerated(readme: string, generated: string): string {
  const lines = readme.split('\n');
  const begin = lineOf(lines, first);
  const end = lineOf(lines, last);
  if (end < begin)
    throw new ConclaveError(
      'bad-input',
      `The page has '${last.shown}' at line ${end + 1}, before '${first.shown}' at line ${begin + 1}`,
      'Swap them.',
    );
  return [...lines.slice(0, begin + 1), '', generated.trim(), '', ...lines.slice(end)].join('\n');
}

function lineOf(lines: readonly string[], marker: typeof first): number {
  const [found, ...more] = lines.flatMap((line, index) => (marker.is.test(line.trim()) ? [index] : []));
  if (found === undefined)
    throw new ConclaveError(
      'bad-input',
      `The page has no line '${marker.shown}'`,
      `Put '${first.shown}' and '${last.shown}', each on a line of its own, around the part to be generated.`,
    );
  if (more.length > 0) {
    const places = [found, ...more].map((index) => index + 1).join(', ');
    throw new ConclaveError('bad-input', `The page has the line '${marker.shown}' more than once (lines ${places})`, 'Leave one of each.');
  }
  return found;
}
