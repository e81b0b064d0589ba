/**
 * The exported API of each package, or of those that are named, from the built declarations: a line
 * for each name in `packages/<name>/API.md`, and the whole declarations in `reports/api`. `--check`
 * only compares.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { read, write } from '../algorithm/files.mjs';

const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
};
/** Of a line, without the digest. */
const width = 84;

/** Entries for the packages of this repository only: no promise, and no part of the API. */
export const isInternal = (entry) => /^\.\/internal(\/|$)/.test(entry);

const manifestOf = (folder) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));

/** The entries of a package: how each is imported, and where its declarations are. */
function entriesOf(folder) {
  const { name, exports } = manifestOf(folder);
  return Object.entries(exports).map(([entry, { types }]) => ({
    name: name + entry.slice(1),
    file: `${folder}/${types.slice(2)}`,
    internal: isInternal(entry),
  }));
}

const printer = ts.createPrinter({ removeComments: true });

/**
 * A declaration as it is in its .d.ts, without `export` and `declare`.
 *
 * @param space the namespace in which an entry exports it, if any
 */
function textOf(declaration, space) {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const text = printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
  return text
    .replace(/^(export |declare )+/, '')
    .replace(/^\w+ /, space === undefined ? '$&' : `$&${space}.`)
    .replace(/^ {4,}/gm, ({ length }) => ' '.repeat(length / 2));
}

/** Further types of this package that the declarations mention, directly or not. */
function mentionedTypes(declarations, checker, folder) {
  const all = new Set(declarations);
  const visit = (node) => {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isImportTypeNode(node)
        ? node.qualifier
        : ts.isExpressionWithTypeArguments(node)
          ? node.expression
          : undefined;
    const symbol = name && checker.getSymbolAtLocation(name);
    for (const type of (symbol && resolved(symbol, checker).declarations) ?? [])
      if (
        !ts.isTypeParameterDeclaration(type) &&
        type.getSourceFile().fileName.includes(`${folder}/dist/`)
      )
        all.add(type);
    ts.forEachChild(node, visit);
  };
  for (const declaration of all) visit(declaration); // a set is iterated with what is added meanwhile
  return [...all].slice(new Set(declarations).size);
}

/** What an import or a re-export stands for. */
const resolved = (symbol, checker) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
const namesOf = (entry, declarations) =>
  `- \`${entry}\`: ${declarations.map(({ name }) => `\`${name.text}\``).join(', ')}\n`;
const byName = (a, b) => (a.name < b.name ? -1 : 1);
const block = (title, texts) => `## ${title}\n\n\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`;

/** The declarations of several packages: what they share is read and resolved once. */
export function programOf(folders) {
  const all = folders.flatMap(entriesOf);
  const missing = all.find(({ file }) => !existsSync(file));
  if (missing) throw new Error(`${missing.file} is not there. Run npm run build.`);
  return ts.createProgram(
    all.map(({ file }) => file),
    options,
  );
}

/**
 * `modules`: the declarations that each entry exports, in the order of their names; those in a
 * namespace stand for it. `namespaces`: by declaration, the name of the namespace.
 */
function modulesOf(entries, program) {
  const namespaces = new Map();
  const checker = program.getTypeChecker();
  const exportsOf = (module, namespace) =>
    checker
      .getExportsOfModule(module)
      .toSorted(byName)
      .flatMap((symbol) => {
        const found = resolved(symbol, checker);
        if (found.flags & ts.SymbolFlags.ValueModule) return exportsOf(found, symbol.name);
        const { declarations = [] } = found;
        if (namespace !== undefined) for (const one of declarations) namespaces.set(one, namespace);
        return declarations;
      });
  const modules = entries.flatMap(({ name, file }) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file));
    return module ? [{ name, declarations: exportsOf(module) }] : [];
  });
  return { modules, namespaces };
}

/** Each module with what it is the first to export, and with what an earlier one exports, too. */
function withoutRepetitions(modules) {
  const seen = new Set();
  return modules.map(({ name, declarations }) => {
    const repeated = declarations.filter((one) => seen.has(one));
    const own = declarations.filter((one) => !seen.has(one));
    for (const one of own) seen.add(one);
    return { name, own, repeated };
  });
}

/**
 * `lines`: the page `API.md`. `whole`: with the whole declarations. `names`: how many are exported.
 * `mentioned`: types of the package that signatures mention and no entry exports. `internal`: how
 * many names internal entries export.
 */
export function apiOf(folder, program) {
  const [publicEntries, internalEntries] = [false, true].map((internal) =>
    entriesOf(folder).filter((entry) => entry.internal === internal),
  );
  const { modules, namespaces } = modulesOf(publicEntries, program);
  const internal = modulesOf(internalEntries, program);
  const exported = modules.flatMap(({ declarations }) => declarations);
  const others = mentionedTypes(exported, program.getTypeChecker(), folder).map((declaration) => [
    declaration.name.text,
    textOf(declaration, internal.namespaces.get(declaration)),
  ]);
  const texts = others.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  const parts = withoutRepetitions(modules);
  const repetitions = parts
    .filter(({ repeated }) => repeated.length > 0)
    .map(({ name, repeated }) => namesOf(name, repeated));
  const publicText = (declaration) => textOf(declaration, namespaces.get(declaration));
  const page = (introduction, shown) =>
    [
      `# The API of ${manifestOf(folder).name}\n\n${introduction}\n`,
      ...parts
        .filter(({ own }) => own.length > 0)
        .map(({ name, own }) => block(name, own.map(publicText).map(shown))),
      ...(repetitions.length > 0
        ? [`## The same, from other entries\n\n${repetitions.join('')}`]
        : []),
      ...(texts.length > 0 ? [block('Types that these mention', texts.map(shown))] : []),
    ].join('\n');
  const namesIn = (declarations) => new Set(declarations.map(({ name }) => name.text)).size;
  return {
    whole: page('Generated by `npm run generate`.', (text) => text),
    lines: page(
      '`npm run generate` writes this page: a line for each exported name, with a digest of the rest of its declaration. `reports/api` has the full declarations.',
      lineOf,
    ),
    names: namesIn(exported),
    mentioned: others.length,
    internal: namesIn(internal.modules.flatMap(({ declarations }) => declarations)),
  };
}

/** A declaration in a line: as it begins, and a digest where that is not all. */
function lineOf(text) {
  const [first] = text.split('\n');
  const begin = first.length > width ? `${first.slice(0, width)}…` : first;
  if (begin === text) return text;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${begin.replace(/ \{$/, '')} // ${digest}`;
}

const transports = readdirSync('packages/transports').map((name) => `transports/${name}`);

/** The packages that export something, such as `core`. */
export const apiPackages = ['core', 'check', 'algorithms', 'coordination', 'studio', ...transports];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean', default: false } },
  });

  const names = positionals.length > 0 ? positionals : apiPackages;
  const program = programOf(names.map((name) => `packages/${name}`));
  for (const name of names) {
    const page = `packages/${name}/API.md`;
    const { lines, whole } = apiOf(`packages/${name}`, program);
    write(`reports/api/${name.replaceAll('/', '-')}.md`, whole);
    if (!values.check) {
      if (write(page, lines)) console.log(`written: ${page}`);
    } else if (read(page) !== lines) {
      console.error(
        `${page} does not say what ${name} exports. Run npm run generate, and commit the page.`,
      );
      process.exitCode = 1;
    }
  }
}
