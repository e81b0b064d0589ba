/** The exported API of a package, from its built declarations. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
};
/** Reads each file once, for all packages. */
const host = ts.createCompilerHost(options);
const { getSourceFile } = host;
const files = new Map();
host.getSourceFile = (name, ...how) => {
  if (!files.has(name)) files.set(name, getSourceFile(name, ...how));
  return files.get(name);
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

/**
 * `lines`: the page `API.md`. `whole`: with the whole declarations. `names`: how many are exported.
 * `mentioned`: types of the package that signatures mention and no entry exports. `internal`: how many names
 * internal entries export.
 */
export function apiOf(folder) {
  const entries = entriesOf(folder);
  const internalEntries = entriesOf(folder, true);
  const all = [...entries, ...internalEntries];
  const missing = all.find(({ file }) => !existsSync(file));
  if (missing) throw new Error(`${missing.file} is not there. Run npm run build.`);
  const program = ts.createProgram(
    all.map(({ file }) => file),
    options,
    host,
  );
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
  const internals = modulesOf(internalEntries).map(({ declarations }) => declarations);
  const exported = modules.flatMap(({ declarations }) => declarations);
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
