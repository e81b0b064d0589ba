import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, parse, resolve } from 'node:path';
import type { ConclaveError, Protocol } from '@conclave/core/protocol';
import type { BuildFailure, Message, Plugin } from 'esbuild';
import { badInput } from '../base/input.js';
import { bundleHeader, sharedModules } from '../model/bundle-form.js';

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/**
 * Bundles a module with all that it imports into one classic script, which gives its protocols to
 * the page that evaluates it. Of `xstate`, `rxjs` and Conclave it uses the copies of the page.
 *
 * @param path the module, TypeScript or JavaScript
 * @param protocols the protocols that it exports, by the name of the export
 * @throws {ConclaveError} `bad-input`, with file and line: an import that a page does not have, or
 * a module that cannot be bundled.
 * @example await bundle('./ticket-office.ts', { protocol })
 */
export async function bundle(
  path: string,
  protocols: Readonly<Record<string, Protocol>>,
): Promise<string> {
  const protocolNames = Object.values(protocols).map(({ name }) => name);
  const twice = protocolNames.find((name, index, all) => all.indexOf(name) < index);
  if (twice !== undefined)
    throw badInput(
      `'${path}' exports two protocols with the name '${twice}'`,
      'Choose one, as in --export protocol.',
    );
  const [{ build }, { layoutsOf }] = await Promise.all([
    import('esbuild'),
    import('../chart/layout.js'),
  ]); // most commands need none
  const layouts = JSON.stringify(await layoutsOf(Object.values(protocols)));
  try {
    const { outputFiles } = await build({
      stdin: {
        contents: `${protocolsIn(path, Object.keys(protocols))}\nglobalThis.conclave.register({ protocols, layouts: ${layouts} });`,
        resolveDir: dirname(resolve(path)),
      },
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'browser',
      target: 'es2022',
      charset: 'utf8',
      keepNames: true, // charts show the names of actions and guards
      legalComments: 'none',
      logLevel: 'silent',
      define: { 'process.env.NODE_ENV': '"production"' },
      plugins: [fromPage],
    });
    const header = bundleHeader(manifest.version, protocolNames);
    return `${header}\n${outputFiles[0]?.text ?? ''}`;
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    throw refused(path, error.errors);
  }
}

/** These exports of a module; bare machines become protocols, with what the module says beside them. */
const protocolsIn = (path: string, names: readonly string[]): string =>
  `import * as module from ${JSON.stringify(`./${basename(path)}`)};
import { exportIn } from '@conclave/core/internal';
const protocols = ${JSON.stringify(names)}.map((name) => exportIn(module, name, { file: ${JSON.stringify(parse(path).name)} }));`;

/** Maps shared modules to those of the page. A package may stand in for one of Node. */
const fromPage: Plugin = {
  name: 'from-page',
  setup(build) {
    const shared = new Set<string>(sharedModules);
    build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (shared.has(path)) return { path, namespace: 'page' };
      if (!isBuiltin(path) || pluginData === fromPage) return undefined;
      const found = path.startsWith('node:')
        ? undefined
        : await build.resolve(path, { ...from, pluginData: fromPage });
      return found?.errors.length === 0
        ? found
        : { errors: [{ text: `it imports '${path}', which a page does not have` }] };
    });
    build.onLoad({ filter: /.*/, namespace: 'page' }, ({ path }) => ({
      contents: `module.exports = globalThis.conclave.modules[${JSON.stringify(path)}];`,
    }));
  },
};

const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

function refused(path: string, [first, ...others]: readonly Message[]): ConclaveError {
  const where = first?.location ? `${first.location.file}:${first.location.line}: ` : '';
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return badInput(
    `'${path}' cannot be bundled: ${where}${(first?.text ?? 'it has no text').replace(/\.$/, '')}${more}`,
    'A page can import modules of yours and packages for browsers. Move what needs Node to a module that the protocol does not import.',
  );
}
