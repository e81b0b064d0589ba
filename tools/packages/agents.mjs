/**
 * Writes what a coding agent reads, from the pages that people read: `llms.txt`, a list of all pages
 * (llmstxt.org), and `packages/cli/skill/SKILL.md`, which says how to write a protocol, check it and
 * read a counterexample. The command's package publishes the skill. A test compares both whole.
 */
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { write } from '../algorithm/files.mjs';
import { chapterOf, chapters, paths, repository, textOf, titleOf } from '../pages.mjs';

const blob = `${repository}/blob/main`;
/** In llms.txt an agent may leave these out; of the study and the decisions it gets none. */
const optional = ['Algorithms', 'Evidence', 'Project'];
const listed = ['Embed', 'Write and check', 'Teach', 'Algorithms, side by side', 'Packages'];

/** The links of a page, from anywhere. */
const absolute = (text, page) =>
  text.replace(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, to) => {
    return `](${blob}/${posix.normalize(`${posix.dirname(page)}/${to}`)})`;
  });

/** The text below a heading of a page, down to the next heading of its level. */
function section(page, heading) {
  const [, part] = textOf(page).split(`\n## ${heading}\n`);
  if (part === undefined) throw new Error(`${page} has no heading '${heading}'.`);
  return absolute(part.split('\n## ')[0].trim(), page);
}

/** The program of an example and what it prints, as a page has them. */
function example(page, name) {
  const [, part = ''] = textOf(page).split(`<!-- example: ${name} -->\n`);
  const [program, output] = part.match(/^```[\s\S]*?^```$/gm) ?? [];
  if (output === undefined) throw new Error(`${page} has no example '${name}'.`);
  return `${program}\n\nIt prints:\n\n${output}`;
}

/** The first sentence of a page, without links. */
function summaryOf(page) {
  const isText = (text) => /^(?!```)[A-Z`*[]/.test(text);
  const paragraph = textOf(page).split('\n\n').find(isText) ?? '';
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\n', ' ');
  return (/^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain).replace(/:$/, '.');
}

function skillText() {
  const [writing, checking] = ['docs/writing-a-protocol.md', 'docs/checking.md'];
  const [, exitCodes] = /(\| exit code \|[\s\S]*?)\n\n/.exec(textOf('docs/command-line.md')) ?? [];
  return `---
name: conclave
description: Write a distributed protocol as XState 5 statecharts, check every interleaving with Conclave, and read its counterexamples. Use for locks, elections, commit protocols and retries between processes, and for any XState machine that must be right in every order of events.
---

# Conclave

Made from ${[writing, checking].map((page) => `[${page}](${blob}/${page})`).join(' and ')}.

1. **Start.** \`npx conclave init my-lock\` writes a protocol with tests. \`npx conclave check ./machine.ts\` checks existing machines unchanged; if it lacks the fields of their events, it asks for them in one line.
2. **Write the machines**, by the rules below, and the properties that must hold, with at least one \`sometimes\`.
3. **Check** after each change: \`npx conclave check ./my-lock.ts --topology complete:3 --max-seconds 60\`. Without a limit a search may fill the memory. Begin with two or three nodes and no faults, then add \`--loss 1\`, \`--duplicate 1\`, \`--crash 1 --restart 1\`. \`--json\` gives the answer as data.
4. **Read the counterexample**, mend one thing, and check again. Weaken a property only if it demands more than the system must do, and say so.
5. **Ask what the properties miss**: \`npx conclave mutate ./my-lock.ts\` lists changes of the machine that no property notices.
6. **Report** the verdict with its size and faults, such as *holds for three nodes and one crash*. \`incomplete\` and \`vacuous\` are no success.

${exitCodes}

## A protocol

\`npm install @conclave/core @conclave/check xstate rxjs\`, and \`npm install --save-dev @conclave/cli\`. The packages are ES modules. For the command, export the protocol: \`export const relay = …\`.

${example(writing, 'write-your-protocol')}

## What a machine may do

${section(writing, 'What a machine may do')}

## Read a counterexample

${section(checking, 'Read a counterexample')}

## What a ✓ means

${section(checking, 'What a ✓ means')}
`;
}

function listText() {
  const [summary] = textOf('README.md').match(/^Conclave has .*$/m) ?? [];
  const line = (page) => `- [${titleOf(page)}](${blob}/${page}): ${summaryOf(page)}`;
  const pagesOf = (title) => paths.filter((path) => chapters[chapterOf(path)]?.[0] === title);
  const chapter = (title) => `## ${title}\n\n${pagesOf(title).map(line).join('\n')}`;
  return `# Conclave

> ${absolute(summary, 'README.md')}

[The skill](${blob}/packages/cli/skill/SKILL.md) has in one file how to write a protocol, check it and read a counterexample; \`@conclave/cli\` installs it as \`skill/SKILL.md\`.

${listed.map(chapter).join('\n\n')}

## Optional

${optional.flatMap(pagesOf).map(line).join('\n')}
`;
}

/** The texts by their paths. */
export const agentFiles = () => ({
  'llms.txt': listText(),
  'packages/cli/skill/SKILL.md': skillText(),
});

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of Object.entries(agentFiles()))
    if (write(path, text)) console.log(`written: ${path}`);
