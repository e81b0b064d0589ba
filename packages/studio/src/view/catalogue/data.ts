import { addLayouts } from '../../chart/known-layouts.js';
import type { CatalogueRow, SpecificationPage } from '../../model/catalogue-pages.js';

/** What the build, or the command line, has put into an element of the page. */
export function pageData<T>(id: string): T | undefined {
  const text = document.getElementById(id)?.textContent;
  return text ? JSON.parse(text) : undefined;
}

let rows: readonly CatalogueRow[] | undefined;

/** A row for each protocol. */
export function catalogueRows(): readonly CatalogueRow[] {
  rows ??= pageData<readonly CatalogueRow[]>('catalogue') ?? [];
  return rows;
}

/** The specification page of a protocol of the catalogue; undefined for another. */
export const specificationPage = (name: string): SpecificationPage | undefined =>
  pageData(`page-${name}`);

/** Takes up the layouts of the catalogue's statecharts that the page brings along. */
export const takeUpCharts = (): void => addLayouts(pageData('charts') ?? {});
