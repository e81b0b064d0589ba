import { readFileSync } from 'node:fs';
import type { PageInput } from '../model/page-data.js';

/** The page with the catalogue, as this package ships it. */
export const pageUrl = new URL('../../dist/studio.html', import.meta.url);

/** An element that holds data for the script of the page: JSON without `<`, so no text can end it. */
export const dataElement = (id: string, data: unknown): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>\n`;

const script = '<script id="script">';

/** The text of the page that this package ships, with what it is given. */
export function pageWith(input: PageInput): string {
  const page = readFileSync(pageUrl, 'utf8');
  return page.replace(script, () => `${dataElement('given', input)}${script}`);
}
