import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import { bundleHeader } from '../model/bundle-form.js';

/** The name of the protocol that is being written, in the setup of its checks and in links. */
export const writtenName = 'play';

type Load = (
  require: (name: string) => object,
  exports: Record<string, unknown>,
  module: { exports: Record<string, unknown> },
) => void;

/** A module whose script has been evaluated, and which has not run yet. */
let written: Load | undefined;
/** It knows the second line before the module. */
let before = new Error();

/** The script of a module for {@link write}: its lines stay what they are. */
export const writtenScript = (script: string): string =>
  `\nconclave.begin(new Error());\nconclave.write(function (require, exports, module) {\n${script}\n});\n`;

/** The same as a bundled module, which the studio takes. */
export const writtenBundle = (script: string, protocol: string): string =>
  `${bundleHeader('studio', [protocol])}${writtenScript(script)}conclave.register({ protocols: [conclave.written()] });\n`;

/** Such a script calls it first. In a worker, what follows has no network. */
export function begin(at: Error): void {
  if ('WorkerGlobalScope' in globalThis) confine();
  before = at;
}

/** Then it calls this. */
export function write(load: Load): void {
  written = load;
}

/**
 * Runs the module, and takes the protocol that it exports: the default one, or else the only one, as
 * the command line does.
 *
 * @throws {ConclaveError} `bad-input` for what fails in it, with its line.
 */
export function writtenProtocol(): Protocol {
  if (!written) throw badInput('There is no module', 'Write one.');
  Error.stackTraceLimit = 100; // the module's own lines are below those of Conclave
  const module = { exports: {} };
  try {
    written(pageModule, module.exports, module);
  } catch (error) {
    throw withLine(error);
  }
  return protocolIn(module.exports);
}

/** What a module of the user may import. */
function pageModule(name: string): object {
  const modules: Readonly<Record<string, object>> = globalThis.conclave?.modules ?? {};
  const known = name.startsWith('@conclave/algorithms/') ? '@conclave/algorithms' : name;
  if (Object.hasOwn(modules, known) && modules[known]) return modules[known];
  const names = Object.keys(modules).filter((one) => !one.includes('/internal'));
  throw badInput(
    `it imports '${name}', which the page does not have`,
    `It has ${names.join(', ')}. Paste what you need from elsewhere.`,
  );
}

/** @throws {ConclaveError} `bad-input` for no protocol, or several. */
function protocolIn(exported: Readonly<Record<string, unknown>>): Protocol {
  const found = Object.entries(exported).filter(([, value]) => isProtocol(value));
  const values = new Set(found.map(([, value]) => value));
  const only = values.size === 1 ? found[0]?.[1] : found.find(([name]) => name === 'default')?.[1];
  if (isProtocol(only)) return only;
  const names = (found.length > 0 ? found.map(([name]) => name) : Object.keys(exported)).join(', ');
  throw found.length > 0
    ? badInput(`It exports several protocols: ${names}`, 'Export one.')
    : badInput(
        `It exports no protocol (it exports ${names || 'nothing'})`,
        'Export what defineProtocol returns: export const protocol = …',
      );
}

const isProtocol = (value: unknown): value is Protocol =>
  typeof value === 'object' && value !== null && 'roleOf' in value && 'properties' in value;

/** The error with the line of the module in which it was thrown, or which led there. */
function withLine(error: unknown): ConclaveError {
  const line = lineOf(error);
  const { what, cure }: Partial<ConclaveError> =
    error instanceof ConclaveError
      ? error
      : { what: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  const where = line === undefined ? '' : `Line ${line}: `;
  return new ConclaveError('bad-input', `${where}${(what ?? '').replace(/\.$/, '')}`, cure ?? '');
}

interface Frame {
  readonly file: string;
  readonly line: number;
}

const framesOf = (error: unknown): readonly Frame[] =>
  [...String(Object(error).stack ?? '').matchAll(/([^\s()@]+):(\d+):\d+\)?$/gm)].map(
    ([, file = '', line]) => ({ file, line: Number(line) }),
  );

/** The module ends its script. */
function lineOf(error: unknown): number | undefined {
  const [head] = framesOf(before);
  const frame =
    head && framesOf(error).find(({ file, line }) => file === head.file && line > head.line + 1);
  return frame && frame.line - head.line - 1;
}

/** What reaches out of a worker, or keeps something. The policy of the page refuses the network, too. */
const refusedNames = [
  ...['fetch', 'XMLHttpRequest', 'WebSocket', 'WebSocketStream', 'WebTransport', 'EventSource'],
  ...['importScripts', 'Worker', 'SharedWorker', 'BroadcastChannel'],
  ...['indexedDB', 'caches', 'navigator', 'Notification'],
];

/** Takes the network from what runs next in this scope: each use of it is an error that says so. */
export function confine(scope: object = globalThis): void {
  for (const name of refusedNames) {
    for (let at: object | null = scope; at; at = Object.getPrototypeOf(at))
      Reflect.deleteProperty(at, name);
    const refuse = () => {
      throw badInput(
        `'${name}' is refused: what runs here has no network and keeps nothing`,
        'A node sends by emit(send(…)) and waits by after.',
      );
    };
    Object.defineProperty(scope, name, { get: refuse, set: refuse });
  }
}
