/** The API reference: every public entry of the packages, by TypeDoc. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application, JSX, Logger, LogLevel } from 'typedoc';
import { publicEntries } from './entries.mjs';

/** Keeps what is wrong, such as a `{@link}` that leads nowhere. */
class Collected extends Logger {
  problems = [];
  log(message, level) {
    if (level >= LogLevel.Warn) this.problems.push(message);
  }
}

/**
 * Writes the reference, and replaces an earlier one.
 *
 * @param {{ root: string, out: string, repository: string, sections: readonly { title: string, url:
 * string }[] }} given `sections`: where its header leads, from the root of the site
 * @returns {Promise<readonly string[]>} what is wrong
 */
export async function writeApi({ root, out, repository, sections }) {
  const entries = publicEntries(root);
  const css = join(tmpdir(), `conclave-api-${process.pid}.css`);
  const styles = ['packages/studio/src/style/tokens.css', 'tools/site/assets/api.css'];
  writeFileSync(css, styles.map((path) => readFileSync(join(root, path), 'utf8')).join('\n'));
  const app = await Application.bootstrap({
    entryPoints: entries.map(({ file }) => join(root, file)),
    tsconfig: join(root, 'tools/site/tsconfig.json'),
    name: 'API reference',
    readme: 'none',
    titleLink: '../index.html',
    basePath: root,
    displayBasePath: root,
    disableGit: true,
    sourceLinkTemplate: `${repository}/blob/main/{path}#L{line}`,
    excludeExternals: true,
    excludePrivate: true,
    skipErrorChecking: true, // npm run check:types
    githubPages: false,
    hideGenerator: true,
    customCss: css,
    validation: { invalidLink: true, notExported: false, notDocumented: false },
  });
  const logger = new Collected();
  app.logger = logger;
  app.renderer.hooks.on('head.end', () =>
    JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html: localIcons })),
  );
  app.renderer.hooks.on('body.begin', (context) => strip(context, sections));
  try {
    const project = await app.convert();
    if (!project) return ['The API reference cannot be made:', ...logger.problems];
    const names = new Map(entries.map(({ name, file }) => [join(root, file), name]));
    for (const module of project.children ?? [])
      module.name = names.get(module.sources?.[0]?.fullFileName) ?? module.name;
    app.validate(project);
    await app.generateDocs(project, out);
    return logger.problems.map((problem) => `API reference: ${problem}`);
  } finally {
    rmSync(css);
  }
}

/**
 * On `file:` no page may take symbols from another file. Each page has them itself, too, and what
 * the search adds later has to take those.
 */
const localIcons = `
if (location.protocol === 'file:')
  new MutationObserver(() => {
    for (const use of document.querySelectorAll('use[href*=".svg#"]'))
      use.setAttribute('href', use.getAttribute('href').replace(/.*#/, '#'));
  }).observe(document, { childList: true, subtree: true });
`;

/** The way back to the other parts of the site. */
const strip = (context, sections) =>
  JSX.createElement(
    'nav',
    { class: 'conclave', 'aria-label': 'Parts of the site' },
    JSX.createElement(
      'a',
      { class: 'home', href: context.relativeURL('../index.html') },
      'Conclave',
    ),
    ...sections.map(({ title, url }) =>
      JSX.createElement('a', { href: context.relativeURL(`../${url}`) }, title),
    ),
    JSX.createElement('span', { 'aria-current': 'true' }, 'API'),
    JSX.createElement('a', { href: context.relativeURL('../studio.html') }, 'Studio'),
  );
