/**
 * The module that a user writes in the playground. It comes as text, and runs from a script that the
 * page or a worker evaluates, since only then the browser says in which line it fails:
 *
 *     conclave.beginModule(new Error());
 *     conclave.defineModule(function (require, exports, module) {
 *     …the module, whose first line is the second one below `beginModule`
 *     });
 *
 * `beginModule` keeps that error: its stack names the script and the line from which lines are counted.
 * `defineModule` keeps the function. It runs when its protocol is asked for.
 */
import { exportIn, isMachine } from '@conclave/core/internal';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { badInput } from '../base/input.js';
import { bundleHeader } from '../model/bundle-form.js';

/** The name of the protocol that is being written, in the setup of its checks and in links. */
export const draftName = 'play';

type Load = (
  require: (name: string) => object,
  exports: Record<string, unknown>,
  module: { exports: Record<string, unknown> },
) => void;

class UserModule {
  /** Made in the second line of the script, before the module. */
  readonly #start: Error;
  load: Load | undefined;

  constructor(start: Error) {
    this.#start = start;
  }

  protocol(): Protocol {
    if (!this.load) throw noModule();
    Error.stackTraceLimit = 100; // the module's own lines are below those of Conclave
    const module = { exports: {} };
    try {
      this.load(pageModule, module.exports, module);
    } catch (error) {
      throw withLine(error, this.#lineOf(error));
    }
    return protocolIn(module.exports);
  }

  /** The module ends its script. */
  #lineOf(error: unknown): number | undefined {
    const [head] = framesOf(this.#start);
    const frame =
      head && framesOf(error).find(({ file, line }) => file === head.file && line > head.line + 1);
    return frame && frame.line - head.line - 1;
  }
}

/** Of the script that was current last. */
let current: UserModule | undefined;

const noModule = () => badInput('There is no module', 'Write one.');

/** The script of a module: its lines stay what they are. */
export const moduleScript = (script: string): string =>
  `\nconclave.beginModule(new Error());\nconclave.defineModule(function (require, exports, module) {\n${script}\n});\n`;

/** The same as a bundled module, which the studio takes. */
export const moduleBundle = (script: string, protocol: string): string =>
  `${bundleHeader('studio', [protocol])}${moduleScript(script)}conclave.register({ protocols: [conclave.moduleProtocol()] });\n`;

/** Such a script calls it first. In a worker, what follows has no network. */
export function beginModule(start: Error): void {
  if ('WorkerGlobalScope' in globalThis) confine();
  current = new UserModule(start);
}

/** Then it calls this. */
export function defineModule(load: Load): void {
  if (current) current.load = load;
}

/**
 * Runs the module, and takes the protocol that it exports: the default one, or else the only one, as
 * the command line does.
 *
 * @throws {ConclaveError} `bad-input` for what fails in it, with its line.
 */
export function draftProtocol(): Protocol {
  if (!current) throw noModule();
  return current.protocol();
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
  const protocols = Object.entries(exported).filter(([, value]) => isProtocol(value));
  const machines = Object.entries(exported).filter(([, value]) => isMachine(value));
  const found = protocols.length > 0 ? protocols : machines;
  const values = new Set(found.map(([, value]) => value));
  const only = values.size === 1 ? found[0]?.[1] : found.find(([name]) => name === 'default')?.[1];
  const [chosen = ''] = found.find(([, value]) => value === only) ?? [];
  const protocol = only && exportIn(exported, chosen, { file: draftName });
  if (isProtocol(protocol)) return protocol;
  const names = (found.length > 0 ? found.map(([name]) => name) : Object.keys(exported)).join(', ');
  throw found.length > 0
    ? badInput(`It exports several protocols: ${names}`, 'Export one.')
    : badInput(
        `It exports no protocol (it exports ${names || 'nothing'})`,
        'Export a statechart of XState, or what defineProtocol returns: export const protocol = …',
      );
}

const isProtocol = (value: unknown): value is Protocol =>
  typeof value === 'object' && value !== null && 'roleOf' in value && 'properties' in value;

/** The error with the line of the module in which it was thrown, or which led there. */
function withLine(error: unknown, line: number | undefined): ConclaveError {
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
