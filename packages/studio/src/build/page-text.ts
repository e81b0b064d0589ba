import { fileURLToPath } from 'node:url';
import { catalogue } from '@conclave/algorithms';
import { build } from 'esbuild';
import { layoutsOf } from '../chart/layouts.js';

const source = fileURLToPath(new URL('../../src/main.ts', import.meta.url)); // the package publishes src, too

/** The text of the page: one HTML file that needs no other. */
export async function pageText(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    minify: true,
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
<script type="application/json" id="charts">${JSON.stringify(await layoutsOf(catalogue)).replaceAll('<', '\\u003c')}</script>
<script id="script">${text('.js').replaceAll('</script', '<\\/script')}</script>
</html>
`;
}
