/**
 * Rewrites the imports of programs that were written before locks, elections, groups and jobs
 * (`@conclave/coordination`) and before what checks a protocol (`@conclave/check`) had packages of
 * their own; goes with 0.2. Prints the files that it has changed.
 *
 * node tools/packages/new-imports.mjs FILE…
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** By an entry that is gone: that of now. */
const moved = new Map([
  ['@conclave/algorithms/lock/choice', '@conclave/coordination'],
  ['@conclave/algorithms/lock/worker', '@conclave/coordination/worker'],
  ['@conclave/algorithms/once/node', '@conclave/coordination/node'],
  ...['lock', 'locks', 'once', 'election', 'group', 'opentelemetry', 'prometheus'].map((entry) => [
    `@conclave/algorithms/${entry}`,
    `@conclave/coordination/${entry}`,
  ]),
  ['@conclave/core/exploration', '@conclave/check'],
  ['@conclave/core/mutation', '@conclave/check'],
  ['@conclave/core/conform', '@conclave/check/conform'],
  ['@conclave/core/vitest', '@conclave/check/vitest'],
]);
const [before, after] = ['@conclave/algorithms', '@conclave/coordination'];

/** What left `@conclave/algorithms` itself: the names of its entry `.` that API.md lists. */
const api = readFileSync(new URL('../../packages/coordination/API.md', import.meta.url), 'utf8');
const [, main = ''] = api.split(/^## /m);
const names = new Set([...main.matchAll(/^[a-z]+ (\w+)/gm)].map(([, name]) => name));
const nameIn = (part) => /^(?:type )?(\w+)/.exec(part)?.[1];

/** The parts of a list of names, divided by the package that has them now. */
function divided(list) {
  const parts = list.split(',').flatMap((part) => part.trim() || []);
  const of = (isMoved) => parts.filter((part) => names.has(nameIn(part)) === isMoved).join(', ');
  return [
    [of(false), before],
    [of(true), after],
  ].filter(([chosen]) => chosen !== '');
}

const named = (text) =>
  text.replace(
    /(import|export)( type)? \{([^}]*)\} from (['"])@conclave\/algorithms\4;?/g,
    (_all, word, type = '', list, quote) =>
      divided(list)
        .map(([chosen, from]) => `${word}${type} { ${chosen} } from ${quote}${from}${quote};`)
        .join('\n'),
  );

const awaited = (text) =>
  text
    .replace(
      /(const|let) \{([^}]*)\} = await import\((['"])@conclave\/algorithms\3\);?/g,
      (_all, word, list, quote) =>
        divided(list)
          .map(([chosen, from]) => `${word} { ${chosen} } = await import(${quote}${from}${quote});`)
          .join('\n'),
    )
    .replace(
      /(await import\((['"]))@conclave\/algorithms(\2\)\)\.(\w+))/g,
      (all, head, _quote, tail, name) => (names.has(name) ? head + after + tail : all),
    );

/** `import * as x`: what has moved is found in a second one. */
function whole(text) {
  const found = /import( type)? \* as (\w+) from (['"])@conclave\/algorithms\3;?/.exec(text);
  if (!found) return text;
  const [statement, type = '', space, quote] = found;
  const uses = new RegExp(`(?<![\\w.])${space}\\.(\\w+)`, 'g');
  const isMoved = [...text.matchAll(uses)].map(([, name]) => names.has(name));
  if (!isMoved.includes(true)) return text;
  const added = `import${type} * as coordination from ${quote}${after}${quote};`;
  return text
    .replace(statement, isMoved.includes(false) ? `${statement}\n${added}` : added)
    .replace(uses, (all, name) => (names.has(name) ? `coordination.${name}` : all));
}

/** The text of a program with the imports of now. */
export const rewritten = (text) =>
  whole(awaited(named(text))).replace(
    /(['"])(@conclave\/[\w/]+)\1/g,
    (_all, quote, entry) => quote + (moved.get(entry) ?? entry) + quote,
  );

for (const file of process.argv.slice(2)) {
  try {
    const text = readFileSync(file, 'utf8');
    if (rewritten(text) === text) continue;
    writeFileSync(file, rewritten(text));
    console.log(file);
  } catch ({ code, message }) {
    const why = code === 'EISDIR' ? 'it is a folder' : message;
    console.error(`${file} cannot be rewritten: ${why}. Give files, such as src/*.ts.`);
    process.exit(2);
  }
}
