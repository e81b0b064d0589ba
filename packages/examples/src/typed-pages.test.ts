/** A reader with `strict` can copy each program of a page: it compiles as it stands, with the build. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const readmes = (folder: string) =>
  readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${folder}${entry.name}/README.md`] : [],
  );
const pages = [
  'README.md',
  ...readdirSync(new URL('docs/', root)).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
  ...readmes('packages/').filter((page) => page !== 'packages/transports/README.md'),
  ...readmes('packages/transports/'),
];

/** The programs, as files of a package that has those which they import; they are not on the disk. */
const programs = new Map(
  pages.flatMap((page) => {
    const text = readFileSync(new URL(page, root), 'utf8');
    return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], index) => {
      const name = `${page.replaceAll(/\W/g, '-')}-${index}.mts`;
      const home = page === 'packages/studio/README.md' ? 'cli' : 'examples';
      const path = fileURLToPath(new URL(`packages/${home}/src/${name}`, root));
      return [path, `${code}\nexport {};\n`] as const;
    });
  }),
);

it('the TypeScript programs of the pages compile under strict', () => {
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: ['node'] },
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => programs.has(path) || fileExists(path);
  host.readFile = (path) => programs.get(path) ?? readFile(path);
  const program = ts.createProgram([...programs.keys()], options, host);
  const errors = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file?.text.slice(0, start).split('\n').length;
    return `${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
  expect(programs.size).toBeGreaterThan(8);
  expect(errors).toEqual([]);
});
