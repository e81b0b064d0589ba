/**
 * What the build, or the command line, has put into the page: rows of the catalogue, pages of
 * protocols, layouts of charts. It is read when somebody asks for it, since most of it is not
 * needed.
 */
import { addLayouts } from '../../chart/svg.js';
import type { CatalogueRow, SpecificationPage } from '../../model/page-data.js';
import { type Sentences, sentencesIn } from '../../model/rules.js';

/** The data in an element of the page; undefined where there is none. */
export function pageData<T>(id: string): T | undefined {
  const text = document.getElementById(id)?.textContent;
  return text ? JSON.parse(text) : undefined;
}

/** A compressed text, which is behind the script of the page; empty where there is none. */
export async function unpacked(id: string): Promise<string> {
  if (document.readyState === 'loading')
    await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve, { once: true }));
  const zipped = atob(document.getElementById(id)?.textContent ?? '');
  const bytes = Uint8Array.from(zipped, (character) => character.charCodeAt(0));
  if (bytes.length === 0) return '';
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

let rows: readonly CatalogueRow[] | undefined;

export function catalogueRows(): readonly CatalogueRow[] {
  rows ??= pageData<readonly CatalogueRow[]>('catalogue') ?? [];
  return rows;
}

/** The specification page of a protocol of the catalogue; undefined for another. */
export const specificationPage = (name: string): SpecificationPage | undefined =>
  pageData(`page-${name}`);

/** Makes the layouts of the catalogue's statecharts known to the charts. */
export const addCatalogueLayouts = (): void => addLayouts(pageData('charts') ?? {});

const sentences = new Map<string, ReadonlyMap<string, string>>();

/**
 * The sentences of the rules on the page of a protocol; none for one that is not in the catalogue.
 */
function ownSentences(name: string): ReadonlyMap<string, string> {
  const known = sentences.get(name) ?? sentencesIn(specificationPage(name)?.html ?? '');
  sentences.set(name, known);
  return known;
}

/**
 * What the page of a protocol says of a rule; or the page of another, whose machine is a region of
 * it.
 */
export const sentencesFor =
  (name: string): Sentences =>
  (number) => {
    const own = ownSentences(name).get(number);
    if (own !== undefined || ownSentences(name).size === 0) return own;
    for (const other of catalogueRows()) {
      const text = ownSentences(other.name).get(number);
      if (text !== undefined) return text;
    }
    return undefined;
  };
