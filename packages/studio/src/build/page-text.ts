import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { catalogueLayouts } from './charts.js';

const source = fileURLToPath(new URL('../../src/main.ts', import.meta.url)); // the package publishes src, too

/** The text of the page: one HTML file that needs no other. */
export async function pageText(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    minify: true,
    keepNames: true, // the words of a guard made by `and` or `not` come from the name of its function
    write: false,
    outdir: 'out',
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const text = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Conclave</title>
<style>${text('.css')}</style>
<body></body>
<script type="application/json" id="charts">${inert(await catalogueLayouts())}</script>
<script id="script">${text('.js').replaceAll('</script', '<\\/script')}</script>
</html>
`;
}

/** Data that no text in it can end: JSON without `<`. */
const inert = (data: unknown): string => JSON.stringify(data).replaceAll('<', '\\u003c');
