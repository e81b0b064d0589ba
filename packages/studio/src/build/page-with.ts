import { readFileSync } from 'node:fs';
import type { Given } from '../model/given.js';
import { pageUrl } from './page-file.js';

const script = '<script id="script">';

/** The text of the page that this package ships, with what it is given. */
export function pageWith(given: Given): string {
  const page = readFileSync(pageUrl, 'utf8');
  // no text in it can end the element
  const data = JSON.stringify(given).replaceAll('<', '\\u003c');
  return page.replace(
    script,
    () => `<script id="given" type="application/json">${data}</script>\n${script}`,
  );
}
