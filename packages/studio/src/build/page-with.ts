import { readFileSync } from 'node:fs';
import type { Given } from '../model/given.js';
import { dataElement } from './data-element.js';
import { pageUrl } from './page-file.js';

const script = '<script id="script">';

/** The text of the page that this package ships, with what it is given. */
export function pageWith(given: Given): string {
  const page = readFileSync(pageUrl, 'utf8');
  return page.replace(script, () => `${dataElement('given', given)}${script}`);
}
