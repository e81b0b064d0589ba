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

/**
 * The entries of a package that declare something: what is imported, and the declarations; or those
 * that are internal.
 */
function entriesOf(folder, internal = false) {
  const { name, exports } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return Object.entries(exports)
    .filter(([entry]) => isInternal(entry) === internal)
    .map(([entry, { types }]) => ({
      name: name + entry.slice(1),
      file: `${folder}/${types.slice(2)}`,
    }));
}

/** Of a declaration that an entry exports within a namespace: its name. */
const namespaces = new Map();
const printer = ts.createPrinter({ removeComments: true });

/** A declaration as it is in its .d.ts, without `export` and `declare`. */
function textOf(declaration) {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const text = printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
  const space = namespaces.get(declaration);
  return text
    .replace(/^(export |declare )+/, '')
    .replace(/^\w+ /, space === undefined ? '$&' : `$&${space}.`)
    .replace(/^ {4,}/gm, ({ length }) => ' '.repeat(length / 2));
}

/** The types of this package that the declarations mention, directly or not, and that are not among them. */
function mentioned(declarations, checker, folder) {
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
    for (const found of (symbol && resolved(symbol, checker).declarations) ?? [])
      if (
        !ts.isTypeParameterDeclaration(found) &&
        found.getSourceFile().fileName.includes(`${folder}/dist/`)
      )
        all.add(found);
    ts.forEachChild(node, visit);
  };
  for (const declaration of all) visit(declaration); // a set is iterated with what is added meanwhile
  return [...all].slice(new Set(declarations).size);
}

const resolved = (symbol, checker) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
const namesOf = (entry, declarations) =>
  `- \`${entry}\`: ${declarations.map(({ name }) => `\`${name.text}\``).join(', ')}\n`;
const byName = (a, b) => (a.name < b.name ? -1 : 1);
const block = (title, texts) => `## ${title}\n\n\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`;

/** The declarations of several packages: what they share is read and resolved once. */
export function programOf(folders) {
  const all = folders.flatMap((folder) => [...entriesOf(folder), ...entriesOf(folder, true)]);
  const missing = all.find(({ file }) => !existsSync(file));
  if (missing) throw new Error(`${missing.file} is not there. Run npm run build.`);
  return ts.createProgram(
    all.map(({ file }) => file),
    options,
  );
}

/**
 * `lines`: the page `API.md`. `whole`: with the whole declarations. `names`: how many are exported.
 * `mentioned`: types of the package that signatures mention and no entry exports. `internal`: how many names
 * internal entries export.
 */
export function apiOf(folder, program) {
  const entries = entriesOf(folder);
  const internalEntries = entriesOf(folder, true);
  const checker = program.getTypeChecker();
  /** The declarations of the exported names, in the order of the names; those of a namespace stand for it. */
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

  const modulesOf = (given) =>
    given.flatMap(({ name, file }) => {
      const module = checker.getSymbolAtLocation(program.getSourceFile(file));
      return module ? [{ name, declarations: exportsOf(module) }] : [];
    });
  const modules = modulesOf(entries);
  const exported = modules.flatMap(({ declarations }) => declarations);
  const named = new Map(namespaces); // what has a namespace in an internal entry, too, has none here
  const internals = modulesOf(internalEntries).map(({ declarations }) => declarations);
  for (const one of exported) if (!named.has(one)) namespaces.delete(one);
  const others = mentioned(exported, checker, folder).map((declaration) => [
    declaration.name.text,
    textOf(declaration),
  ]);
  const texts = others.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  const seen = new Set();
  const parts = modules.map(({ name, declarations }) => {
    const [own, shared] = [false, true].map((isSeen) =>
      declarations.filter((one) => seen.has(one) === isSeen),
    );
    for (const one of own) seen.add(one);
    return { name, own, shared };
  });
  const again = parts.filter(({ shared }) => shared.length > 0);
  const same = again.map(({ name, shared }) => namesOf(name, shared)).join('');
  const page = (introduction, shown) =>
    [
      `# The API of ${JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).name}\n\n${introduction}\n`,
      ...parts
        .filter(({ own }) => own.length > 0)
        .map(({ name, own }) => block(name, own.map(textOf).map(shown))),
      ...(again.length > 0 ? [`## The same, from other entries\n\n${same}`] : []),
      ...(texts.length > 0 ? [block('Types that these mention', texts.map(shown))] : []),
    ].join('\n');
  return {
    whole: page('Generated by `npm run generate`.', (text) => text),
    lines: page(
      'Generated by `npm run generate`: a line for each exported name, with a digest of what else its declaration says. The whole declarations are in `reports/api`.',
      lineOf,
    ),
    names: new Set([...seen].map(({ name }) => name.text)).size,
    mentioned: others.length,
    internal: new Set(
      internals.flatMap((declarations) => declarations.map(({ name }) => name.text)),
    ).size,
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
