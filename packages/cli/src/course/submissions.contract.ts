/** Submissions of code, right and wrong in different ways, and what becomes of them. */
import { codeExercises, startingFile } from '@conclave/studio/internal/course';

export interface Tried {
  readonly what: string;
  readonly exercise: string;
  readonly text: string;
  readonly points: number;
  /** What the feedback, or the refusal, says. */
  readonly says: string | RegExp;
  /** Where it is stopped: how long it may take, in seconds, or its memory in MB. */
  readonly seconds?: number;
  readonly memory?: number;
}

const started = async (name: string): Promise<string> => {
  const exercise = codeExercises.find((one) => one.name === name);
  return exercise ? await startingFile(exercise) : '';
};

const younger = "{ actions: ['witness', 'defer'] }, {";
const guarded = "{ guard: 'oursIsOlder', actions: ['witness', 'defer'] }, {";
const noProperty = "always('no property yet', (system) => system.nodes.length > 0),";
const exclusion = "always('one', (system) => system.count('critical') <= 1),";
const progress =
  "leadsTo('turn', (node) => node.tags.has('waiting'), (node) => node.tags.has('critical')),";
const entry = "sometimes('entry', (system) => system.count('critical') === 1),";

/** The three of a short test. */
export async function fewSubmissions(): Promise<readonly Tried[]> {
  const mend = await started('mend-ricart-agrawala');
  const say = await started('say-ricart-agrawala');
  const of = { exercise: 'mend-ricart-agrawala' };
  return [
    { ...of, what: 'mended', text: mend.replace(younger, guarded), points: 3, says: '' },
    { ...of, what: 'loops', text: 'for (;;);', points: 0, says: 'longer than 0.5 s', seconds: 0.5 },
    {
      what: 'says all',
      exercise: 'say-ricart-agrawala',
      text: say.replace(noProperty, `${exclusion} ${progress} ${entry}`),
      ...{ points: 5, says: 'noticed by: turn' },
    },
  ];
}

/** Charts that are handed in as mended. */
async function charts(): Promise<readonly Tried[]> {
  const start = await started('mend-ricart-agrawala');
  const right = start.replace(younger, guarded);
  const tried = (what: string, text: string, says: string | RegExp, points = 0): Tried => ({
    ...{ exercise: 'mend-ricart-agrawala', what, text, says, points },
  });
  const acquires = "{ target: 'wanted', actions: ['stamp', 'requestAll'] }";
  return [
    tried('untouched', start, /Violated: every node .* eventually enters[\s\S]*steps=0/),
    tried('without behaviour', right.replace(acquires, '{}'), /Violated|Never reached/),
    tried(
      'without an event',
      right.replace(/reply: \{.*\},/, ''),
      "the message 'reply' is handled in no state",
    ),
    tried(
      'right once',
      right.replace(
        "request: { actions: ['witness', 'defer'] },",
        "request: { actions: 'defer' },",
      ),
      /a clock passes/,
    ),
    tried('an action that is not there', right.replace("'crossOff'", "'crossOut'"), 'crossOut'),
    tried('an inline action', right.replace("'crossOff'", '() => {}'), 'Only names of actions'),
    tried(
      'an endless chart',
      right.replace(
        "tags: 'waiting',",
        "tags: 'waiting', entry: [], initial: 'x', states: { x: { always: 'y' }, y: { always: 'x' } },",
      ),
      /loop/i,
    ),
    tried('a type that is none', 'export const protocol = 42;', 'exports no protocol'),
    tried('nothing', '', 'it exports nothing'),
    tried('a syntax error', 'export const = 1;', 'line 1'),
    tried(
      'prints a lot',
      `for (let i = 0; i < 1e6; i++) console.log('x'.repeat(100));\n${right}`,
      '',
      3,
    ),
  ];
}

/** Code that does what a submission may not. */
async function attacks(): Promise<readonly Tried[]> {
  const right = (await started('mend-ricart-agrawala')).replace(younger, guarded);
  const tried = (what: string, line: string, says: string | RegExp, more = {}): Tried => ({
    ...{ exercise: 'mend-ricart-agrawala', what, text: `${line}\n${right}`, says, points: 0 },
    ...more,
  });
  return [
    tried('throws', "throw new Error('no');", 'no'),
    tried(
      'reads a file',
      "import { readFileSync } from 'node:fs'; readFileSync('/etc/passwd');",
      "may not import 'node:fs'",
    ),
    tried('opens a socket', "import net from 'net'; net.connect(80);", "may not import 'net'"),
    tried('calls out', "fetch('http://localhost');", "may not use 'fetch'"),
    tried('ends early', 'process.exit(0);', "may not use 'process'"),
    tried('finds the process', 'globalThis.process.exit(0);', /undefined/),
    tried(
      'imports what it computes',
      "const fs = await import(['node', 'fs'].join(':'));",
      /await|may not/i,
    ),
    tried(
      'makes code of text',
      "new Function('return process')();",
      'Code generation from strings',
    ),
    tried('changes what all use', 'Array.prototype.every = () => true;', /read only|Cannot assign/),
    tried(
      'overwrites results',
      "import { writeFileSync } from 'fs'; writeFileSync('results.json', '{}');",
      "may not import 'fs'",
    ),
    tried(
      'looks at others',
      "import { protocol as theirs } from '../ben/mend-ricart-agrawala.mjs';",
      'may not import',
    ),
    tried(
      'takes memory',
      'const all = []; for (;;) all.push(new Array(1e5).fill(all.length));',
      'more than 300 MB',
      { memory: 300 },
    ),
    tried(
      'takes memory beside the heap',
      'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));',
      'more than 300 MB',
      { memory: 300 },
    ),
  ];
}

/** Properties. */
async function properties(): Promise<readonly Tried[]> {
  const start = await started('say-ricart-agrawala');
  const tried = (
    what: string,
    text: string,
    points: number,
    says: string | RegExp,
    more = {},
  ): Tried => ({
    ...{ exercise: 'say-ricart-agrawala', what, points, says },
    ...{ text: start.replace(noProperty, text), ...more },
  });
  return [
    tried(
      'always true',
      "always('true', (system) => system.nodes.length === 2),",
      0,
      'cannot fail',
    ),
    tried('kills all', "never('any', (system) => system.nodes.length > 0),", 0, 'Violated: any'),
    tried('some', exclusion, 1, 'noticed by: one'),
    tried('true of few', `${exclusion} never('any', () => true),`, 1, 'Violated: any'),
    tried('those of the catalogue', '...right.properties,', 0, 'no property of its own'),
    tried('a random one', "always('luck', () => Math.random() < 2),", 0, /random/i),
    tried(
      'changes its mind',
      "always('late', () => (globalThis.n = (globalThis.n ?? 0) + 1) < 60),",
      0,
      /late|true of/,
    ),
    tried('loops', "always('long', () => { for (;;); }),", 0, 'longer than 3 s', { seconds: 3 }),
    tried('throws', "always('bad', (system) => system.nowhere.at),", 0, /bad/),
    tried('none', "{ name: 'x' },", 0, 'one of its properties is none'),
  ];
}

/** Charts that are written from rules. */
async function written(): Promise<readonly Tried[]> {
  const start = await started('write-token-ring');
  const of = { exercise: 'write-token-ring', seconds: 600 };
  const released =
    "released: { on: { acquire: 'wanted', token: { actions: ['takeToken', 'passToken'] } } }";
  const wanted = (actions: string) =>
    `wanted: { tags: 'waiting', on: { token: { target: 'held', actions: [${actions}] } } }`;
  const held = "on: { release: { target: 'released', actions: 'passToken' } } },\n};";
  const text = (actions: string) =>
    start
      .replace('released: { on: {} }', released)
      .replace("wanted: { tags: 'waiting', on: {} }", wanted(actions))
      .replace('on: {} },\n};', held);
  return [
    { ...of, what: 'written', text: text("'takeToken', 'countEntry'"), points: 3, says: '' },
    { ...of, what: 'without a count', text: text("'takeToken'"), points: 0, says: /token|fencing/ },
  ];
}

export const manySubmissions = async (): Promise<readonly Tried[]> =>
  (await Promise.all([charts(), attacks(), properties(), written()])).flat();
