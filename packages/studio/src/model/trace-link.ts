import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import { parseTrace, type Trace } from '@conclave/core/trace';
import type { Link } from '../link/link.js';
import { ownProtocol } from './own.js';
import { protocolOf } from './system.js';

/**
 * The link to the run of a trace, such as `conclave simulate --trace FILE` writes it.
 *
 * @param name what errors call the trace, such as its file's name
 * @throws {ConclaveError} `bad-trace`, `bad-input`, `bad-topology`; `diverged` where the protocol does not take this run.
 */
export async function traceLink(text: string, name: string): Promise<Link> {
  const trace = parseTrace(text, name);
  const protocol = await recorded(trace, name);
  const spec = headerOf(trace, name, 'topology');
  void topology(spec);
  return { setup: { protocol: protocol.name, options: {}, topology: spec, budget: {} }, view: 'world', steps: [] };
}

/** The protocol of a trace, with its options. */
async function recorded(trace: Trace, name: string): Promise<Protocol> {
  const wanted = headerOf(trace, name, 'protocol');
  const options = optionsIn(trace, name);
  const own = ownProtocol(wanted)?.protocol;
  if (!own) return protocolOf(wanted, options);
  const [given, had] = [options, own.options ?? {}].map((one) => JSON.stringify(one));
  if (given === had) return own;
  throw new ConclaveError('bad-input', `${name} was recorded with the options ${given}, and your ${wanted} has ${had}`, 'Bundle that one.');
}

const examples = { protocol: 'ricart-agrawala', topology: 'complete:5' };

function headerOf({ header }: Trace, name: string, key: keyof typeof examples): string {
  const value = header.get(key);
  if (value !== undefined) return value;
  throw new ConclaveError(
    'bad-trace',
    `${name}: its header has no ${key}`,
    `A trace begins with lines such as '# ${key}: ${examples[key]}'.`,
  );
}

function optionsIn({ header }: Trace, name: string): Readonly<Record<string, Json>> {
  const text = header.get('options') ?? '{}';
  try {
    const options: Json = JSON.parse(text);
    if (typeof options === 'object' && options !== null && !isList(options)) return options;
  } catch {
    // reported below
  }
  throw new ConclaveError('bad-trace', `${name}: its options '${text}' are not a JSON object`, 'They read like {"greedy":2}.');
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
