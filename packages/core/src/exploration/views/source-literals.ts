import type { AnyStateMachine } from 'xstate';

/** What the text of the functions of a machine has, apart from comments. */
export interface Literals {
  readonly numbers: ReadonlySet<number>;
  readonly texts: ReadonlySet<string>;
}

const tokens =
  /\/\/.*|\/\*[\s\S]*?\*\/|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|(?<![\w$.])(0[xob][\da-f]+|(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)/gi;

/** The parts of XState's own actions and guards that are not the machine's. */
const ofXState = new Set(['resolve', 'execute', 'check']);

/**
 * The numbers and texts in the source of the guards and actions of a machine, and of its first
 * context. Functions that these call are not read: a program cannot see them.
 */
export function literalsOf(machine: AnyStateMachine): Literals {
  const found = { numbers: new Set<number>(), texts: new Set<string>() };
  const visited = new Set<unknown>();
  const visit = (value: unknown): void => {
    const isFunction = typeof value === 'function';
    if (!(isFunction || (typeof value === 'object' && value !== null)) || visited.has(value))
      return;
    visited.add(value);
    const isOfXState = Object.getOwnPropertyNames(value).some((key) => ofXState.has(key));
    if (isFunction && !isOfXState) read(String(value), found);
    for (const [key, part] of Object.entries(value)) if (!ofXState.has(key)) visit(part);
  };
  const { actions, guards } = machine.implementations;
  visit([machine.config, actions, guards]);
  return found;
}

function read(
  source: string,
  { numbers, texts }: { numbers: Set<number>; texts: Set<string> },
): void {
  for (const [, single, double, template, number] of source.matchAll(tokens)) {
    const text = single ?? double ?? template;
    if (text !== undefined) texts.add(text);
    if (number !== undefined) numbers.add(Number(number.replaceAll('_', '')));
  }
}
