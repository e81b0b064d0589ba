/** Writes the page: `dist/studio.html`. */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { pageUrl } from './page-file.js';
import { pageText } from './page-text.js';

const text = await pageText();
writeFileSync(pageUrl, text);
const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
const zipped = gzipSync(text, { level: 9 }).length;
console.log(`studio.html: ${kB(Buffer.byteLength(text))}, ${kB(zipped)} gzipped`);
if (zipped > 700_000)
  throw new Error(
    `The page has ${kB(zipped)} gzipped, and its limit is 700 kB. Which data or module can be left out?`,
  );
