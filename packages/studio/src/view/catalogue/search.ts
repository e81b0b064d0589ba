/** What is found in the catalogue by words of either language. */
import type { CatalogueRow } from '../../model/page-data.js';

/** Words that mean the same here: each finds what has one that begins like another of its row. */
const synonyms = [
  'mutex lock exclusion semaphore sperre ausschluss semaphor',
  'leader election elects wahl anführer',
  'deadlock verklemmung',
  'clock timestamp uhr zeitstempel',
  'token marke',
  'quorum votes vote stimme mehrheit majority',
  'snapshot schnappschuss',
  'consensus agreement commit konsens einigung',
  'broadcast multicast group gruppe rundruf',
  'detector heartbeat suspects ausfall ausfallerkennung',
  'wave echo welle flooding',
  'termination terminated terminierung',
  'tree baum spannbaum',
].map((row) => row.split(' '));

/**
 * The rows that have all words; where none has one, the rows whose pages have them.
 *
 * @param pageOf the text of a page
 */
export function found(
  rows: readonly CatalogueRow[],
  query: string,
  pageOf: (name: string) => string,
): readonly CatalogueRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const by = (textOf: (row: CatalogueRow) => string) =>
    rows.filter((row) => {
      const text = textOf(row).toLowerCase();
      const begins = ` ${text.replace(/[^\p{L}\d]+/gu, ' ')}`;
      return words.every(
        (word) =>
          synonyms
            .find((alike) => alike.includes(word))
            ?.some((one) => begins.includes(` ${one}`)) ?? text.includes(word),
      );
    });
  const known = by(({ id, name, title, idea, group, problem, network }) =>
    [id, name, title, idea, group, problem, network].join(' '),
  );
  return known.length > 0 ? known : by(({ name }) => pageOf(name));
}
