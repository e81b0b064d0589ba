/** Runs what students write in a process of its own, with limits and few rights. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type CodeExercise,
  type ExerciseJudge,
  judgeOf,
  type Part,
} from '@conclave/studio/internal/course';
import { say } from '@conclave/studio/internal/texts';
import type { BuildFailure, Plugin } from 'esbuild';
import { messageOf } from '../errors.js';
import type { Answer, Task, Work } from './confined-program.js';
import type { Language } from './exercises.js';

/** What one submission may use. */
export interface Limits {
  readonly seconds: number;
  /** In MB, of the whole process. */
  readonly memory: number;
  /** In which the student reads what was found. */
  readonly lang?: Language | undefined;
  /** Of the questions to properties, and of the mutants of mutants: no submission knows it. */
  readonly seed: number;
}

export const usualLimits: Pick<Limits, 'seconds' | 'memory'> = { seconds: 30, memory: 1024 };

/** The program runs as it is built, also where this module runs from its source. */
const program = fileURLToPath(new URL('../../dist/course/confined-program.js', import.meta.url));

const mayImport = ['xstate', '@conclave/core/protocol', '@conclave/core/topology'];

/**
 * The parts of an exercise that a file solves, or why it was not judged. The states of a chart are
 * data, and so are the answers of properties: the process that judges them has nothing of what the
 * student wrote.
 */
export async function judgedFile(
  file: string,
  exercise: CodeExercise,
  limits: Limits,
): Promise<{ readonly parts: readonly Part[] } | { readonly error: string }> {
  const judge = await judgeFor(exercise, limits.seed);
  const asked = exercise.kind === 'say' ? [0, 1].map(judge.asked) : [];
  const ends = performance.now() + limits.seconds * 1000;
  const bundled = await bundleOf(file, judge.module);
  if ('error' in bundled) return bundled;
  const done = (work: Work) => run({ ...work, exercise }, ends, limits);
  if (exercise.kind !== 'say') {
    const loaded = await done({ do: 'load', ...bundled });
    if (!('states' in loaded)) return refusalIn(loaded);
    const judged = await done({ do: 'judge', ...loaded });
    return 'parts' in judged ? judged : refusalIn(judged);
  }
  const loads: Extract<Answer, { readonly answers: unknown }>['answers'][] = [];
  for (const questions of asked) {
    const answered = await done({ do: 'answer', asked: questions, ...bundled });
    if (!('answers' in answered)) return refusalIn(answered);
    loads.push(answered.answers);
  }
  return { parts: judge.ofAnswers(loads) };
}

const refusalIn = (answer: Answer): { readonly error: string } =>
  'error' in answer ? answer : { error: say('it could not be judged') };

const judges = new Map<string, Promise<ExerciseJudge>>();

/** The same for each submission: what it asks is found once. */
function judgeFor(exercise: CodeExercise, seed: number): Promise<ExerciseJudge> {
  const key = JSON.stringify([exercise, seed]);
  const judge = judges.get(key) ?? judgeOf(exercise, seed);
  judges.set(key, judge);
  return judge;
}

/** The file with those beside it that it imports, as one text; of packages only some. */
async function bundleOf(
  file: string,
  catalogue: string,
): Promise<
  { readonly script: string; readonly modules: readonly string[] } | { readonly error: string }
> {
  const folder = realpathSync(dirname(file));
  const modules = new Set<string>();
  const own: Plugin = {
    name: 'own',
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
        if (kind === 'entry-point') return undefined;
        if (path === catalogue || mayImport.includes(path)) {
          modules.add(path);
          return { path, external: true };
        }
        const isOwn = /^\.\.?\//.test(path) && !isOutside(folder, join(resolveDir, path));
        return isOwn
          ? undefined
          : { errors: [{ text: say("a submission may not import '{path}'", { path }) }] };
      });
      build.onLoad({ filter: /./ }, ({ path }) =>
        isOutside(folder, realpathSync(path))
          ? { errors: [{ text: say('it is a link to a file elsewhere') }] }
          : undefined,
      );
    },
  };
  try {
    const { build } = await import('esbuild');
    const { outputFiles } = await build({
      ...{ entryPoints: [file], bundle: true, write: false, format: 'cjs', platform: 'neutral' },
      ...{ target: 'es2022', charset: 'utf8', logLevel: 'silent', plugins: [own] },
    });
    return { script: outputFiles[0]?.text ?? '', modules: [...modules] };
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? []; // any other error has none
    const where = first?.location ? `${say('line {line}', { line: first.location.line })}: ` : '';
    return { error: `${where}${first?.text ?? messageOf(error)}` };
  }
}

const isOutside = (folder: string, path: string): boolean =>
  relative(folder, path).startsWith('..');

/** The folders that hold Conclave and what it needs: nothing else can be read. */
function readable(): readonly string[] {
  const { resolve } = createRequire(import.meta.url);
  const needed = [
    '@conclave/core/protocol',
    '@conclave/check',
    '@conclave/algorithms/load',
    '@conclave/studio/link',
    'xstate',
  ];
  const files = [program, ...needed.map((name) => realpathSync(resolve(name)))];
  const folders = new Set<string>();
  for (const file of files) {
    folders.add(dirname(file).split(`${sep}dist`)[0] ?? '');
    for (let at = dirname(file); dirname(at) !== at; at = dirname(at))
      folders.add(join(at, 'node_modules'));
  }
  return [...folders];
}

/** Node 20 has the permissions as an experiment. */
const permission = ['--permission', '--experimental-permission'].find((name) =>
  process.allowedNodeEnvironmentFlags.has(name),
);

function flags({ memory }: Pick<Limits, 'memory'>): readonly string[] {
  return [
    ...(permission
      ? [permission, ...readable().map((folder) => `--allow-fs-read=${join(folder, '*')}`)]
      : []),
    ...['--frozen-intrinsics', '--disallow-code-generation-from-strings', '--no-warnings'],
    `--max-old-space-size=${Math.floor(memory * 0.75)}`,
  ];
}

/** More than an answer ever has. */
const longestAnswer = 4_000_000;

/** Does a task in a new process; ended when it takes too long, too much memory, or says too much. */
function run(task: Task, ends: number, limits: Limits): Promise<Answer> {
  const number = randomUUID();
  const child = spawn(process.execPath, [...flags(limits), program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {},
  });
  let [said, complaint] = ['', ''];
  let why: string | undefined;
  const stop = (reason: string) => {
    why ??= reason;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(
    () => stop(say('stopped: it takes longer than {seconds} s', { seconds: limits.seconds })),
    Math.max(0, ends - performance.now()),
  );
  const watch = setInterval(() => {
    if (residentMb(child.pid) > limits.memory)
      stop(say('stopped: it takes more than {memory} MB', { memory: limits.memory }));
  }, 200);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.length > longestAnswer) stop(say('stopped: it says too much'));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, 2000);
  });
  child.stdin.on('error', () => {}); // it has ended before it was told everything
  child.stdin.end(JSON.stringify({ number, task, lang: limits.lang }));
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(timer);
      clearInterval(watch);
      const answer = said.startsWith(`${number} `) ? said.slice(number.length + 1) : undefined;
      if (why === undefined && answer !== undefined) return resolve(JSON.parse(answer));
      const isFull = /heap out of memory|heap limit/i.test(complaint);
      resolve({
        error:
          why ??
          (isFull
            ? say('stopped: it takes more than {memory} MB', { memory: limits.memory })
            : `${say('it ended without an answer')}${complaint && `: ${complaint.split('\n').find((line) => /Error/.test(line)) ?? ''}`}`),
      });
    });
  });
}

/** Where the system tells; elsewhere only the heap is limited. */
function residentMb(pid: number | undefined): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 2 ** 20;
  } catch {
    return 0;
  }
}
