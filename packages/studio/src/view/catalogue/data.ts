import type { CatalogueRow, SpecificationPage } from '../../model/catalogue-pages.js';

const data = (id: string): unknown => {
  const text = document.getElementById(id)?.textContent;
  return text ? JSON.parse(text) : undefined;
};

let rows: readonly CatalogueRow[] | undefined;

/** What the build has put into the page: a row for each protocol. */
export function catalogueRows(): readonly CatalogueRow[] {
  rows ??= (data('catalogue') ?? []) as readonly CatalogueRow[]; // build/pages.ts wrote it
  return rows;
}

/** The specification page of a protocol of the catalogue; undefined for another. */
export const specificationPage = (name: string): SpecificationPage | undefined =>
  data(`page-${name}`) as SpecificationPage | undefined; // build/pages.ts wrote it
