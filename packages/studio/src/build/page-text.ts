import { fileURLToPath } from 'node:url';
import { catalogue } from '@conclave/algorithms';
import { build } from 'esbuild';
import { layoutsOf } from '../chart/layouts-of.js';
import { exerciseRows } from './course.js';
import { dataElement } from './data-element.js';
import { editorElement } from './editor-text.js';
import { pageElements, pagesOf } from './pages.js';

// the package publishes src, too
const source = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The protocols of the catalogue, with the options that change their statecharts. */
const chartedProtocols = catalogue.flatMap(({ make, charted }) =>
  [{}, ...charted].map((options) => make(options)),
);

/** No network at all; scripts of the page, of modules that its user drops, and of its workers. */
const policy =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:";

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
  const text = (ending: string) =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="description" content="Distributed protocols to see, to move by hand, to break and to check, in one page.">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'%3E%3Cg fill='%235a6be0' stroke='%235a6be0' stroke-width='1.8'%3E%3Cpath d='M10 10v8M10 14h4M5 7.5 10 2.5l5 5z'/%3E%3C/g%3E%3C/svg%3E">
<title>Conclave studio</title>
<noscript><style>body::before { content: "This page needs JavaScript. It loads nothing from elsewhere." }</style></noscript>
${pageElements(pagesOf())}<style>${text('.css')}</style>
<body></body>
${dataElement('course', exerciseRows())}${dataElement('charts', await layoutsOf(chartedProtocols))}<script id="script">${text('.js').replaceAll('</script', '<\\/script')}</script>
${await editorElement()}</html>
`;
}
