import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { badInput } from '../errors.js';
import { declare, flag, text } from '../input/options.js';
import { version } from '../installation.js';
import { shellWord } from '../output/files.js';
import { writeNew } from '../output/text.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'init',
  description: 'write a protocol of your own to start from, with tests that pass',
  argument: ['name', 'the name of the protocol in kebab-case, such as my-lock'] as const,
  options: {
    dir: text('folder', 'where to write it (default: a folder with the name of the protocol)'),
    json: flag('print { name, folder, files }'),
  },
  help: `Writes a machine, its protocol, tests, package.json, tsconfig.json and README.md. No file is
overwritten. Where the packages come from a clone or from tarballs, package.json names tarballs.

Examples:
  conclave init my-lock
  conclave init my-lock --dir protocols/my-lock`,
};

/** `conclave init`: a small protocol of one's own, which passes its tests and its check. */
export const initCommand = (program: Command, session: Session): void =>
  declare(program, description, ({ dir, json }, name) => {
    requireName(name);
    const folder = dir ?? name;
    const { specs, packing } = packagesFor(folder);
    const files = filesFor(name, specs);
    const names = Object.keys(files);
    writeNew(folder, files, '--dir');
    answer(session, json, { name, folder, files: names }, () => {
      const { bold, green } = session.colours;
      return `${green('✓')} Wrote ${bold(folder)}: ${names.join(', ')}.\nNext: cd ${shellWord(folder)} && ${packing}npm install && npm test && npm run check\nTo see it: npx conclave studio ./${name}.ts --watch\n`;
    });
  });

const longestName = 60;

/**
 * @throws {ConclaveError} `bad-input` for a name that cannot be the name of a protocol, a file and
 * an npm package.
 */
function requireName(name: string): void {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && name.length <= longestName) return;
  throw badInput(
    `'${name}' cannot be the name of a protocol`,
    `Use up to ${longestName} lower-case letters, digits and single hyphens, beginning with a letter, such as my-lock.`,
  );
}

/**
 * What the template is called: each of its files is a real one, which is type-checked and tested
 * with this package.
 */
const templateName = 'ticket-office';
const templateTitle = 'Ticket office';

/** The texts of the files, by their names. */
function filesFor(name: string, specs: Specs): Readonly<Record<string, string>> {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`;
  const from = (file: string) =>
    // the package publishes this folder of its sources
    readFileSync(new URL(`../../src/template/${file}`, import.meta.url), 'utf8')
      .replaceAll(templateName, name)
      .replaceAll(templateTitle, title);
  return {
    [`${name}.ts`]: from(`${templateName}.ts`),
    // another ending, so that it is published and is not one of this package's tests
    [`${name}.test.ts`]: from(`${templateName}.spec.ts`),
    'README.md': from('README.md'),
    'package.json': jsonText({
      name,
      private: true,
      type: 'module',
      scripts: { test: 'vitest run', check: `conclave check ./${name}.ts`, types: 'tsc' },
      dependencies: { ...specs.dependencies, rxjs: '^7.8.2', xstate: '^5.33.3' },
      devDependencies: { ...specs.devDependencies, typescript: '^6.0.3', vitest: '^4.1.12' },
    }),
    'tsconfig.json': jsonText({
      compilerOptions: {
        target: 'ES2023',
        module: 'NodeNext',
        strict: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: true,
        noEmit: true,
      },
      include: ['*.ts'],
    }),
  };
}

type Specs = Readonly<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>>;

const published: Specs = {
  dependencies: { '@conclave/core': `^${version}` },
  devDependencies: { '@conclave/check': `^${version}`, '@conclave/cli': `^${version}` },
};

/** Of tarballs all are named: npm would look for the others in its registry. */
const packed = ['core', 'check', 'algorithms', 'studio', 'cli'];

/**
 * Where npm gets the packages of Conclave from, and what makes them first. In a clone: tarballs,
 * which its `pack.mjs` makes. In a project that has installed tarballs: the same ones.
 */
function packagesFor(folder: string): { readonly specs: Specs; readonly packing: string } {
  const packer = fromHere('../../../../tools/packages/pack.mjs');
  if (existsSync(packer)) {
    const tarball = (name: string) => `file:packed/conclave-${name}-${version}.tgz`;
    return { specs: specsOf(tarball), packing: `node ${shellWord(packer)} packed && ` };
  }
  const project = fromHere('../../../../../package.json');
  const { dependencies, devDependencies } = existsSync(project)
    ? JSON.parse(readFileSync(project, 'utf8'))
    : {};
  const installed: Readonly<Record<string, string>> = { ...dependencies, ...devDependencies };
  const tarballs = packed.map((name) => installed[`@conclave/${name}`]);
  if (!tarballs.every((spec) => spec?.startsWith('file:')))
    return { specs: published, packing: '' };
  const pathOf = (spec = '') => resolve(dirname(project), spec.slice('file:'.length));
  const tarball = (name: string) =>
    `file:${relative(folder, pathOf(installed[`@conclave/${name}`])).replaceAll('\\', '/')}`;
  return { specs: specsOf(tarball), packing: '' };
}

const fromHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

function specsOf(tarball: (name: string) => string): Specs {
  const [core = '', ...others] = packed;
  const named = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [`@conclave/${name}`, tarball(name)]));
  return { dependencies: named([core]), devDependencies: named(others) };
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
