/** Writes the page: `dist/studio.html`. */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { packedStart, pageText } from './page.js';
import { pageUrl } from './page-file.js';

const text = await pageText();
writeFileSync(pageUrl, text);
const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
const zippedSize = (part: string) => gzipSync(part, { level: 9 }).length;
const zipped = zippedSize(text.slice(0, text.indexOf(packedStart)));
console.log(
  `studio.html: ${kB(Buffer.byteLength(text))}, ${kB(zipped)} gzipped before German and the editor, ${kB(zippedSize(text))} with them`,
);
if (zipped > 700_000)
  throw new Error(
    `The page has ${kB(zipped)} gzipped, and its limit is 700 kB. Which data or module can be left out?`,
  );
