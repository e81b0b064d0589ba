/** Writes the page: `dist/studio.html`. */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { pageUrl } from './page-file.js';
import { pageText } from './page-text.js';

const text = await pageText();
writeFileSync(pageUrl, text);
const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
console.log(`studio.html: ${kB(Buffer.byteLength(text))}, ${kB(gzipSync(text, { level: 9 }).length)} gzipped`);
