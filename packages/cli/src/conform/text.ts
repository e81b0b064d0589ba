import type { Conformed } from '@conclave/core/conform';
import type { Session } from '../session.js';

/** At most so many complaints are printed; `--json` has all. */
const most = 20;

/** What `conclave conform` prints. */
export function conformedText(
  result: Conformed,
  folder: string,
  { green, red, yellow, dim }: Session['colours'],
): string {
  const { verdict, steps, journals, messages, complaints, notes } = result;
  const marks = { conforms: green('✓'), violates: red('✗'), incomplete: yellow('?') };
  const verdicts = {
    conforms: 'conform: each step is one of the machine',
    violates: `do not conform: ${counted(complaints.length, 'complaint')}`,
    incomplete: 'have no complaint, but not all could be repeated',
  };
  const lines = [
    `${marks[verdict]} ${folder}: ${counted(journals.length, 'journal')} of ${result.protocol} on ${result.topology} ${verdicts[verdict]}`,
    `  ${counted(steps, 'step')} repeated; ${counted(messages.sent, 'message')} sent, ${messages.delivered} arrived${fates(messages)}`,
    ...extents(result).map((line) => `  ${line}`),
    ...complaints
      .slice(0, most)
      .map(
        ({ file, line, what, cure }) =>
          `${red('✗')} ${file}:${line}: ${what}${cure === '' ? '' : `. ${dim(cure)}`}`,
      ),
    ...(complaints.length > most
      ? [`  and ${complaints.length - most} more; --json prints all`]
      : []),
    ...notes.map((note) => `${yellow('note:')} ${note}`),
  ];
  return `${lines.join('\n')}\n`;
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

function fates({ doubled, reordered, lost, inFlight, unnumbered }: Conformed['messages']): string {
  const parts = Object.entries({
    doubled,
    reordered,
    lost,
    'not arrived': inFlight,
    'without numbers': unnumbered,
  });
  return parts.flatMap(([name, count]) => (count > 0 ? [`, ${count} ${name}`] : [])).join('');
}

/** How far the properties were judged, one line for each extent and reason. */
function extents({ properties, cuts }: Conformed): readonly string[] {
  const judged = new Map<string, string[]>();
  for (const { name, extent, note } of properties) {
    const where =
      extent === 'every consistent cut'
        ? `on every consistent cut (${cuts})`
        : extent === 'not checked'
          ? extent
          : `on ${extent}`;
    const key = note === undefined ? where : `${where}, since ${note}`;
    judged.set(key, [...(judged.get(key) ?? []), name]);
  }
  return [...judged].map(
    ([how, names]) =>
      `${names.length === 1 ? `'${names[0]}'` : counted(names.length, 'property').replace('propertys', 'properties')}: ${how}`,
  );
}
