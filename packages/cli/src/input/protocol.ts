/** Which protocol, of the catalogue, of a module or of a recorded run, and on which network. */
import { readFileSync } from 'node:fs';
import { isInCatalogue, loadEntry } from '@conclave/algorithms/internal/load';
import { loadProtocol } from '@conclave/algorithms/load';
import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { needs, type Topology, topology } from '@conclave/core/topology';
import { parseTrace, type Trace } from '@conclave/core/trace';
import { attempt, badInput } from '../errors.js';
import { abridged } from '../output/text.js';
import { type Checkable, checkableIn, looksLikePath, protocolIn } from './module.js';
import { collected, parsed, text, type ValuesOf } from './options.js';

/** The meaning of the argument `<protocol>` in the help. */
export const protocolMeaning =
  'id or name from the catalogue (A3, ricart-agrawala), or the path of a module of your own that exports a protocol or a statechart';

export const exportOption = {
  export: text('name', 'which export of your module is the protocol, where there are several'),
};

export const protocolOptions = {
  option: parsed(
    'name=value',
    'an option of the protocol, such as greedy=2 or piggyback; repeatable',
    collected,
  ),
  ...exportOption,
};

type ProtocolChoice = ValuesOf<typeof protocolOptions>;

/**
 * The protocol that a command's argument names. Without `asks`, a bare statechart is only drawn.
 * @throws {ConclaveError} `bad-input`, also for options that it does not have.
 */
export async function protocolFor(
  argument: string,
  choice: ProtocolChoice,
  asks = true,
): Promise<Protocol> {
  if (looksLikePath(argument)) {
    requireNoOption(choice);
    return protocolIn(argument, choice.export, asks);
  }
  if (choice.export !== undefined)
    throw badInput(
      `--export is for a module of your own, and '${argument}' is not a path`,
      'Write its path as ./module.ts.',
    );
  const { options } = await loadEntry(argument);
  return loadProtocol(
    argument,
    Object.fromEntries((choice.option ?? []).map((text) => optionOf(text, options))),
  );
}

/**
 * What `check` explores: of a module, also a system of plain functions.
 * @throws {ConclaveError} `bad-input`, as {@link protocolFor}.
 */
export async function checkableFor(argument: string, choice: ProtocolChoice): Promise<Checkable> {
  if (!looksLikePath(argument))
    return { kind: 'protocol', protocol: await protocolFor(argument, choice) };
  requireNoOption(choice);
  return checkableIn(argument, choice.export);
}

function requireNoOption({ option: [first] = [] }: ProtocolChoice): void {
  if (first !== undefined)
    throw badInput(
      `A protocol from a module has no --option, so '${first}' has no effect`,
      'Set it in the module.',
    );
}

/**
 * `greedy=2`, `voters=a,b`, or `piggyback` for `piggyback=true`; its type is the one in the catalogue, so that
 * the node '1' stays a string.
 */
function optionOf(
  text: string,
  options: Awaited<ReturnType<typeof loadEntry>>['options'],
): [string, Json] {
  const [, name = text, value = 'true'] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const type = options.find((option) => option.name === name)?.type;
  if (type === 'number' && /^-?\d*\.?\d+$/.test(value)) return [name, Number(value)];
  if (type === 'boolean' && (value === 'true' || value === 'false'))
    return [name, value === 'true'];
  if (type === 'list') return [name, value.split(',')];
  return [name, value];
}

/**
 * The network that a protocol runs on: by default, `usualSize` nodes in the shape that it needs. A
 * network of another shape that connects all nodes both ways gets an overlay of the shape that the
 * protocol needs; then `note` says so.
 *
 * A network that the protocol cannot use is returned as it is.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`: a spec or file that cannot be read.
 */
export function networkFor(
  protocol: Protocol,
  spec: string | undefined,
  usualSize: number,
): { readonly topology: Topology; readonly note?: string } {
  const given = spec === undefined ? protocol.topology.example(usualSize) : readTopology(spec);
  if (protocol.topology.refuses(given) === undefined) return { topology: given };
  // a search or simulation refuses it, and says why
  if (needs.connected.refuses(given) !== undefined) return { topology: given };
  const overlay = protocol.topology.overlay(given);
  // not its shape is the problem
  if (protocol.topology.refuses(overlay) !== undefined) return { topology: given };
  const note = `${protocol.title} needs a ${protocol.topology.name} network, so it runs on ${abridged(overlay.spec)}`;
  return { topology: overlay, note };
}

/** `topology(spec)`, with `file:PATH` read from disk. */
export const readTopology = (spec: string): Topology =>
  topology(spec, (path) => readFileSync(path, 'utf8'));

/** What a recorded run says about its protocol. */
interface Recorded {
  /** What it is, such as `run.trace is a trace`. */
  readonly what: string;
  readonly name: string;
  readonly options: Readonly<Record<string, Json>>;
}

/** The module of a protocol that is not in the catalogue. */
interface ModuleChoice {
  readonly protocol?: string;
  readonly export?: string;
}

/**
 * The protocol of a recorded run.
 * @throws {ConclaveError} `bad-input` where it is not in the catalogue and no module is given, or
 * another one.
 */
export async function recordedProtocol(
  { what, name, options }: Recorded,
  { protocol: path, ...choice }: ModuleChoice,
): Promise<Protocol> {
  if (path === undefined) {
    if (isInCatalogue(name)) return loadProtocol(name, options);
    throw badInput(
      `${what} of '${name}', which is not in the catalogue`,
      'Name its module: --protocol ./module.ts.',
    );
  }
  const protocol = await protocolFor(path, choice);
  if (protocol.name === name) return protocol;
  throw badInput(
    `${what} of '${name}', but '${path}' is '${protocol.name}'`,
    `Give the module of '${name}'.`,
  );
}

/** A trace file, and what its header says. */
interface TraceFile {
  readonly text: string;
  readonly trace: Trace;
  readonly recorded: Recorded;
  /** Of the network. */
  readonly spec: string;
}

/**
 * Reads a trace as `conclave simulate --trace FILE` writes it.
 * @throws {ConclaveError} `bad-input`, `bad-trace`.
 */
export function readTrace(file: string): TraceFile {
  const text = attempt(`The trace '${file}' cannot be read`, () => readFileSync(file, 'utf8'));
  const trace = parseTrace(text, file);
  const name = headerOf(trace, file, 'protocol');
  const recorded = { what: `${file} is a trace`, name, options: optionsIn(trace, file) };
  return { text, trace, recorded, spec: headerOf(trace, file, 'topology') };
}

const examples = { protocol: 'ricart-agrawala', topology: 'complete:5' };

function headerOf({ header }: Trace, file: string, key: keyof typeof examples): string {
  const value = header.get(key);
  if (value !== undefined) return value;
  const cure = `A trace begins with lines such as '# ${key}: ${examples[key]}'.`;
  throw new ConclaveError('bad-trace', `${file}: its header has no ${key}`, cure);
}

function optionsIn({ header }: Trace, file: string): Readonly<Record<string, Json>> {
  const text = header.get('options') ?? '{}';
  try {
    const options: Json = JSON.parse(text);
    if (typeof options === 'object' && options !== null && !isList(options)) return options;
  } catch {
    // reported below
  }
  throw new ConclaveError(
    'bad-trace',
    `${file}: its options '${text}' are not a JSON object`,
    'They read like {"greedy":2}.',
  );
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
