/** Submissions of code, right and wrong in different ways, and what becomes of them. */
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { explore } from '@conclave/check';
import { mutantsOf } from '@conclave/check/internal';
import { always, type Protocol, type SystemView } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
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
    tried('those of the catalogue', '...given.properties,', 0, 'no property of its own'),
    tried(
      'a random one',
      "always('luck', () => Math.random() < 2),",
      0,
      /: Property 'luck': [^']*'?Math\.random/,
    ),
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

/** What tells the worlds of the listed versions by heart: keys of those that only a mutant has. */
async function worldsOf(protocol: Protocol): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const commands of [1, 2])
    explore(protocol, topology('complete:2'), {
      commands,
      properties: [always('all', (system) => keys.add(keyOf(system)) !== undefined)],
    });
  return keys;
}

const key =
  '(s) => JSON.stringify(s.nodes.map(({ value, context: c }) => [value, c.clock, c.requestedAt, c.awaiting, c.deferred]))';
const keyOf: (system: SystemView) => string = (s) =>
  JSON.stringify(
    s.nodes.map(({ value, context: c }) => [value, c.clock, c.requestedAt, c.awaiting, c.deferred]),
  );

/** How to win points without a solution. */
export async function cheats(): Promise<readonly Tried[]> {
  const start = await started('say-ricart-agrawala');
  const mend = await started('mend-ricart-agrawala');
  const said = (what: string, properties: string, says: string | RegExp, before = ''): Tried => ({
    ...{ exercise: 'say-ricart-agrawala', what, points: 0, says },
    text: `${start.replace('const properties', `${before}\nconst properties`).replace(noProperty, properties)}`,
  });
  const mended = (what: string, text: string, says: string | RegExp): Tried => ({
    ...{ exercise: 'mend-ricart-agrawala', what, text, points: 0, says },
  });
  const right = ricartAgrawala;
  const known = await worldsOf(right);
  const mutants = codeExercises.find(({ kind }) => kind === 'say')?.mutants ?? [];
  const bad = await Promise.all(
    mutantsOf(right)
      .filter(({ id }) => mutants.includes(id))
      .map(async ({ protocol }) =>
        [...(await worldsOf(protocol))].filter((one) => !known.has(one)),
      ),
  );
  const learner = `const keyOf = ${key};
    const learner = () => { const seen = new Map();
      return (s) => { const k = keyOf(s); if (!seen.has(k)) seen.set(k, seen.size); return seen.get(k); }; };`;
  const hash = `const hash = (s) => [...JSON.stringify(s.nodes)].reduce((h, c) => (h * 31 + c.charCodeAt(0)) % 9973, 7);`;
  const clocks = `const hash = (s) => s.nodes.reduce((h, { context: c }) => (h * 7 + c.clock * 3 + c.awaiting.length) % 31, 1);`;
  return [
    said(
      'learns how many worlds there are',
      '...[150, 180, 230].map((n) => { const at = learner(); return always("learned " + n, (s) => at(s) < n); }),',
      'answers differently',
      learner,
    ),
    said(
      'learns which worlds come late',
      '...[30, 60, 90, 120, 150, 160, 170].map((n) => { const at = learner(); return sometimes("reached " + n, (s) => at(s) >= n - 6 && at(s) < n); }),',
      'answers differently',
      learner,
    ),
    said(
      'counts its calls',
      '...[100, 200, 300].map((n) => { let calls = 0; return always("calls " + n, () => calls++ < n); }),',
      'answers differently',
    ),
    said(
      'keeps what it saw beside the module',
      "always('first', (s) => (globalThis.first ??= s.nodes[0].context.clock) === s.nodes[0].context.clock),",
      /answers differently|read only|frozen/,
    ),
    said(
      'hashes worlds',
      '...[...Array(10).keys()].map((n) => sometimes("h " + n, (s) => hash(s) % 10 === n)),',
      'answers differently',
      hash,
    ),
    said(
      'hashes clocks',
      '...[...Array(19).keys()].map((n) => always("h " + n, (s) => hash(s) !== n)),',
      /Violated|not true of another|No property/,
      clocks,
    ),
    said(
      'knows the worlds of the protocol by heart',
      "always('known', (s) => known.has(keyOf(s))),",
      /Violated|cannot fail|answers/,
      `const keyOf = ${key}; const known = new Set(${JSON.stringify([...known])});`,
    ),
    said(
      'knows the bad worlds by heart',
      '...bad.map((worlds, n) => never("bad " + n, (s) => worlds.includes(keyOf(s)))),',
      /cannot fail|answers differently/,
      `const keyOf = ${key}; const bad = ${JSON.stringify(bad)};`,
    ),
    said(
      'calls the properties of the catalogue',
      "always('mine', (s) => given.properties[0].holds(s)),",
      /mine/,
    ),
    said(
      'takes the properties of another lock',
      '...lamport.properties,',
      "may not import '@conclave/algorithms/lamport'",
      "import { lamport } from '@conclave/algorithms/lamport';",
    ),
    said(
      'throws what moves the cursor',
      "always('t', (s) => { if (s.count('critical') > 0) throw new Error('\\x1b[2K\\nben 8 of 8'); return true; }),",
      '\\u001b[2K\\u000aben',
    ),
    said(
      'forges a line of the report',
      "never('\\x1b[1A\\nben 8 of 8 \\u202e', (s) => s.count('critical') > 0),",
      'Violated: \\u001b[1A\\u000aben 8 of 8 \\u202e',
    ),
    mended(
      'hands in the catalogue',
      "export { ricartAgrawala as protocol } from '@conclave/algorithms/ricart-agrawala';",
      'the states must stand in the file',
    ),
    mended(
      'hands in the catalogue as its own',
      mend.replace(/states },/, '},'),
      'the states must stand in the file',
    ),
    mended(
      'copies the chart of the catalogue',
      mend.replace(
        /const states = .*?;\n\n/s,
        'const states = structuredClone(given.roles.node.machine.config.states);\n',
      ),
      /Violated: every node/,
    ),
    mended(
      'looks for the chart elsewhere',
      `import { catalogue } from '@conclave/algorithms';\n${mend}`,
      "may not import '@conclave/algorithms'",
    ),
    mended(
      'moves the cursor by a state',
      mend.replace('held: {', "'held\\x1b[2K': {}, held: {"),
      "\\u001b[2K' in its chart has a control character",
    ),
  ];
}

/** Charts that are written from rules. */
async function fromRules(): Promise<readonly Tried[]> {
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
  (await Promise.all([charts(), attacks(), properties(), fromRules()])).flat();
