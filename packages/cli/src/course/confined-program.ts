/**
 * The program that looks at one submission, in a process of its own: `confined.ts` starts it, with
 * few rights. It answers with the number that it was given, which what students write does not see.
 */

import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import {
  type CodeExercise,
  type ExerciseJudge,
  judgeOf,
  type Part,
} from '@conclave/studio/internal/course';
import { say, speakIn } from '@conclave/studio/internal/texts';
import type { Language } from './exercises.js';

type States = ReturnType<ExerciseJudge['statesIn']>;
type Asked = ReturnType<ExerciseJudge['asked']>;
type Answers = ReturnType<ExerciseJudge['answersOf']>;

/** What is to be done. A script is what students write, as one text. */
export type Work =
  | ({ readonly do: 'load' } & Script)
  | ({ readonly do: 'answer'; readonly asked: Asked } & Script)
  | { readonly do: 'judge'; readonly states: States };

interface Script {
  readonly script: string;
  readonly modules: readonly string[];
}

export type Task = Work & { readonly exercise: CodeExercise };

export type Answer =
  | { readonly states: States }
  | { readonly answers: Answers }
  | { readonly parts: readonly Part[] }
  | { readonly error: string };

const { stdout } = process;
const exit = process.exit.bind(process);
interface Told {
  readonly number: string;
  readonly task: Task;
  readonly lang?: Language;
}
const { number, task, lang }: Told = JSON.parse(readFileSync(0, 'utf8'));
speakIn(lang);

/** What a submission does not have: to call out, to read files, and to end the process. */
const taken = [
  ...['process', 'fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'Worker'],
  ...['BroadcastChannel', 'MessageChannel', 'navigator', 'Buffer', 'Deno', 'Bun'],
];

const refusal = (name: string): Error =>
  new Error(
    say("a submission may not use '{name}'. A protocol sends, waits and asks by its chart.", {
      name,
    }),
  );

/** Says what is refused, whatever is done with it. */
const refused = (name: string): unknown => {
  const refuse = () => {
    throw refusal(name);
  };
  return new Proxy(refuse, { get: refuse, apply: refuse, construct: refuse });
};

/** Chance and clocks, which the explorer needs itself: only the script is without them. */
const shadows = ['Date', 'performance', 'crypto'];
const certainMath = Object.create(Math, { random: { value: refused('Math.random') } });

/** What the script exports. */
function exportsOf(script: string, modules: ReadonlyMap<string, unknown>): object {
  const module = { exports: {} };
  const load = (name: string) => {
    if (modules.has(name)) return modules.get(name);
    throw refusal(name);
  };
  for (const name of taken) Reflect.deleteProperty(globalThis, name);
  const silent = { log() {}, info() {}, warn() {}, error() {}, debug() {}, table() {}, trace() {} };
  Object.assign(globalThis, { console: silent });
  const names = [...taken, ...shadows];
  compileFunction(script, ['require', 'exports', 'module', 'Math', ...names])(
    ...[load, module.exports, module, certainMath],
    ...names.map(refused),
  );
  return module.exports;
}

/** The protocol among the exports: `protocol`, else the default one, else the only one. */
function protocolOf(exported: object): Readonly<Record<string, unknown>> {
  const { protocol, default: usual, ...others } = exported as Readonly<Record<string, unknown>>; // of a module
  const found = Object(protocol ?? usual ?? Object.values(others)[0]);
  if ('roles' in found && 'properties' in found) return found;
  const names = Object.keys(exported).join(', ') || say('nothing');
  throw new Error(
    say('it exports no protocol (it exports {names}). Keep: export const protocol', { names }),
  );
}

async function answerTo(task: Task): Promise<Answer> {
  const judge = await judgeOf(task.exercise);
  if (task.do === 'judge') return { parts: judge.ofStates(task.states) };
  const modules = new Map<string, unknown>();
  for (const name of task.modules) modules.set(name, judge.imported(name, await import(name)));
  const handedIn = protocolOf(exportsOf(task.script, modules));
  if (task.do === 'load') return { states: judge.statesIn(handedIn) };
  return { answers: judge.answersOf(handedIn, task.asked) };
}

const { stringify } = JSON;
const answer = await answerTo(task).catch((error: unknown) => ({
  error: String(Object(error).message ?? error),
}));
stdout.write(`${number} ${stringify(answer)}\n`, () => exit(0));
