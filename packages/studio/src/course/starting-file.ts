/** What an exercise in code names of the catalogue. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadEntry } from '@conclave/algorithms/internal/load';
import { loadProtocol } from '@conclave/algorithms/load';
import { mutantsOf } from '@conclave/check/internal';
import { stateNodes } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import { memo } from '../base/collections.js';
import { badInput } from '../base/input.js';
import { literal } from '../playground/source.js';
import { say, sayAny } from '../texts/say.js';
import type { CodeExercise } from './code-exercises.js';
import type { States } from './judge.js';

/** @throws {ConclaveError} `bad-input` for a role that is not there. */
export async function protocolIn({ protocol: name, role }: CodeExercise): Promise<Protocol> {
  const protocol = await loadProtocol(name);
  if (protocol.roles[role]) return protocol;
  throw badInput(
    `${protocol.title} has no role '${role}'`,
    `Its roles: ${Object.keys(protocol.roles).join(', ')}.`,
  );
}

const allMutants = memo((protocol: Protocol) => mutantsOf(protocol));

/** @throws {ConclaveError} `bad-input` for a mutant that is not there. */
export function mutantIn(protocol: Protocol, id: string): ReturnType<typeof mutantsOf>[number] {
  const mutant = allMutants(protocol).find((one) => one.id === id);
  if (mutant) return mutant;
  throw badInput(
    `${protocol.title} has no mutant '${id}'`,
    `conclave mutate ${protocol.name} --json lists them.`,
  );
}

// What a student starts from: a module for `conclave check`, without the solution.

type Config = Readonly<Record<string, unknown>>;

/**
 * The module that a student changes.
 *
 * @throws {ConclaveError} `bad-input` for an exercise that does not fit its protocol.
 */
export async function startingFile(exercise: CodeExercise): Promise<string> {
  const right = await protocolIn(exercise);
  const body = exercise.kind === 'say' ? sayText(exercise, right) : chartText(exercise, right);
  const name = exportOf(right);
  const module: Config = await import(pathToFileURL(packageFile(right.name)).href);
  const call = typeof module[name] === 'function' ? '()' : '';
  const lines = [
    sayAny(exercise.goal),
    '',
    ...namesIn(exercise, right),
    ...(exercise.kind === 'write' ? ['', say('Rules:'), ...(await rulesOf(right))] : []),
    '',
    say('Check it: npx conclave check ./{name}.mjs', { name: exercise.name }),
  ];
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */
import { ${name} } from '${moduleOf(right)}';
${body.imports}
const given = ${name}${call};

${body.text}`;
}

/** The words of the protocol: messages, commands, and for a chart its actions and guards. */
function namesIn({ kind, role }: CodeExercise, { messages, commands, roles }: Protocol) {
  const meanings = [...Object.entries(messages), ...Object.entries(commands)].map(
    ([name, { meaning }]) => `- ${name}: ${meaning}`,
  );
  const { actions = {}, guards = {} } = roles[role]?.machine.implementations ?? {};
  const listed = (what: string, of: object) =>
    Object.keys(of).length === 0 ? [] : [`${what}: ${Object.keys(of).join(', ')}`];
  return [
    say('Messages and commands:'),
    ...meanings,
    ...(kind === 'say'
      ? []
      : [...listed(say('Actions'), actions), ...listed(say('Guards'), guards)]),
  ];
}

function sayText(
  { mutants: [first = '', ...others] = [], systems }: CodeExercise,
  right: Protocol,
) {
  const { before, after } = mutantIn(right, first);
  return {
    imports: `import { always, eventually, leadsTo, never, sometimes } from '@conclave/core/protocol';\n`,
    text: `/**
 * ${say('A property counts if it is true of the protocol, and of others that are right. The tags of the charts: {tags}.', { tags: tagsOf(right).join(', ') })}
 * ${say('In the first mutant')}
 *   ${before}
 * ${say('has become')}
 *   ${after}
 * ${say('and {others} others are hidden, with mutants of them. All are explored on {systems} small networks.', { others: others.length, systems: systems.length })}
 */
const properties = [
  always('no property yet', (system) => system.nodes.length > 0),
];

export const protocol = { ...given, properties };
`,
  };
}

function chartText(exercise: CodeExercise, right: Protocol) {
  const { role } = exercise;
  const states = startingStates(exercise, right);
  const access = /^\w+$/.test(role) ? `.${role}` : `[${JSON.stringify(role)}]`;
  return {
    imports: "import { createMachine } from 'xstate';\n",
    text: `// ${say('Where it is graded, the chart of the import is this one, too.')}
const states = ${literal(states)};

const { machine, ...role } = given.roles${access};
export const protocol = {
  ...given,
  roles: {
    ...given.roles,
    ${/^\w+$/.test(role) ? role : JSON.stringify(role)}: {
      ...role,
      machine: createMachine({ ...machine.config, states }, machine.implementations),
    },
  },
};
`,
  };
}

export function startingStates(
  { kind, role, mutants: [mutant = ''] = [], holes = [] }: CodeExercise,
  right: Protocol,
): States {
  const from = kind === 'mend' ? mutantIn(right, mutant).protocol : right;
  const config: Config = from.roles[role]?.machine.config ?? {};
  let states = Object(config.states);
  for (const hole of holes) states = withHole(states, hole.split('.'), hole);
  return states;
}

/** Without what happens in the state. */
function withHole(states: Config, [key = '', ...inner]: readonly string[], name: string): Config {
  const state = states[key];
  if (typeof state !== 'object' || state === null)
    throw badInput(`The chart has no state '${name}'`, 'Give its path, such as passive.asleep.');
  const { on: _on, after: _after, always: _always, ...others } = state as Config; // a state of XState
  const changed =
    inner.length > 0
      ? { ...state, states: withHole(Object(others.states), inner, name) }
      : { ...others, on: {} };
  return { ...states, [key]: changed };
}

const tagsOf = ({ roles }: Protocol): readonly string[] => {
  const states = Object.values(roles).flatMap(({ machine }) => stateNodes(machine));
  return [...new Set(states.flatMap(({ tags }) => tags))].sort();
};

/** An entry of the package of algorithms. */
const packageFile = (name: string): string =>
  createRequire(import.meta.url).resolve(`@conclave/algorithms/${name}`);

/** What a student imports, and its name there. */
export const moduleOf = ({ name }: Protocol): string => `@conclave/algorithms/${name}`;
export const exportOf = ({ name }: Protocol): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The rules of the page of the algorithm, but those of its options. */
async function rulesOf({ name }: Protocol): Promise<readonly string[]> {
  const { folder } = await loadEntry(name);
  const [root = ''] = packageFile('load').split(`${sep}dist${sep}`);
  const page = readFileSync(join(root, 'src', folder, 'README.md'), 'utf8');
  return [...page.matchAll(/^\| ([A-Z]+\d+) \| (?!With `)(.*) \|$/gm)].map(
    ([, number, text]) => `- ${number}: ${text}`,
  );
}
