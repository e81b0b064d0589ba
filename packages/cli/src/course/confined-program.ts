/**
 * The program that looks at one submission, in a process of its own: `confined.ts` starts it, with
 * few rights. It answers with the number that it was given, which what students write does not see.
 */

import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import type { Property } from '@conclave/core/protocol';
import { type Language, say } from '@conclave/studio/internal/texts';
import type { UnknownMachineConfig } from 'xstate';
import type { CodeExercise, Part } from './code-exercise.js';
import { judgedProperties, judgedStates } from './judge.js';
import { speakIn } from './language.js';

/** What is to be done. A script is what students write, as one text. */
export type Task = { readonly exercise: CodeExercise } & (
  | { readonly do: 'load' | 'say'; readonly script: string; readonly modules: readonly string[] }
  | { readonly do: 'judge'; readonly states: UnknownMachineConfig['states'] }
);

export type Answer =
  | { readonly states: UnknownMachineConfig['states'] }
  | { readonly parts: readonly Part[] }
  | { readonly error: string };

const { stdout } = process;
const exit = process.exit.bind(process);
interface Asked {
  readonly number: string;
  readonly task: Task;
  readonly lang?: Language;
}
const { number, task, lang }: Asked = JSON.parse(readFileSync(0, 'utf8'));
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

/** The states of the chart, which are data: actions and guards are names. */
function statesOf(exported: object, { role }: CodeExercise): UnknownMachineConfig['states'] {
  const machine = Object(Object(protocolOf(exported).roles)[role]).machine;
  const states: unknown = Object(Object(machine).config).states;
  if (typeof states !== 'object' || states === null)
    throw new Error(say("the role '{role}' of its protocol has no machine with states", { role }));
  const text = JSON.stringify(states, (key, value: unknown) => {
    if (typeof value === 'function')
      throw new Error(
        say("'{key}' is a function. Only names of actions and guards stand in a chart", { key }),
      );
    return value;
  });
  return JSON.parse(text);
}

/** Those that look like properties; the explorer says what is wrong with them. */
function propertiesOf(exported: object): readonly Property[] {
  const { properties } = protocolOf(exported);
  if (!Array.isArray(properties)) throw new Error(say('its protocol has no list of properties'));
  const odd = properties.find((one) => typeof Object(one).name !== 'string' || !Object(one).kind);
  if (odd === undefined) return properties;
  throw new Error(say('one of its properties is none: always, never, sometimes … make them'));
}

async function answerTo(task: Task): Promise<Answer> {
  if (task.do === 'judge') return { parts: await judgedStates(task.exercise, task.states) };
  const modules = new Map<string, unknown>();
  for (const name of task.modules) modules.set(name, await import(name));
  const exported = exportsOf(task.script, modules);
  return task.do === 'load'
    ? { states: statesOf(exported, task.exercise) }
    : { parts: await judgedProperties(task.exercise, propertiesOf(exported)) };
}

const { stringify } = JSON;
const answer = await answerTo(task).catch((error: unknown) => ({
  error: String(Object(error).message ?? error),
}));
stdout.write(`${number} ${stringify(answer)}\n`, () => exit(0));
