/** `npm run bench -- <name>`: runs one benchmark and prints its table. */
import { existsSync, readdirSync } from 'node:fs';

const [name = '', ...options] = process.argv.slice(2);
const file = new URL(`./${name}.mjs`, import.meta.url);
const names = readdirSync(new URL('.', import.meta.url))
  .filter((entry) => entry.endsWith('.mjs') && !entry.includes('.run.') && entry !== 'bench.mjs')
  .map((entry) => entry.replace('.mjs', ''));
if (!/^[a-z-]+$/.test(name) || !existsSync(file)) {
  console.error(`There is no benchmark '${name}'. Try npm run bench -- ${names.join(' | ')}.`);
  process.exit(2);
}
const { bench } = await import(file.href);
await bench(options);
