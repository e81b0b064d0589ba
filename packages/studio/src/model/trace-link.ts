import { budgetOf, follow } from '@conclave/check/internal';
import { faults } from '@conclave/core/internal';
import { isUnsentInStep } from '@conclave/core/internal/trace';
import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { type Topology, topology } from '@conclave/core/topology';
import { parseTrace, type Trace } from '@conclave/core/trace';
import { defined } from '../base/collections.js';
import { badInput } from '../base/input.js';
import type { Link, Setup } from '../link/link.js';
import { say } from '../texts/say.js';
import { ownProtocol } from './own.js';
import { unique } from './possible.js';
import { crashesOn, protocolOf, type StudioBudget } from './system.js';

/**
 * The link to the run of a trace, such as `conclave simulate --trace FILE` writes it.
 *
 * @param name what errors call the trace, such as its file's name
 * @throws {ConclaveError} `bad-trace`, `bad-input`, `bad-topology`; `diverged` where the protocol
 * does not take this run.
 */
export async function traceLink(text: string, name: string): Promise<Link> {
  const trace = parseTrace(text, name);
  const named = headerOf(trace, name, 'protocol');
  const recorded = optionsIn(trace, name);
  const own = ownProtocol(named)?.protocol;
  if (own) requireOptions(own, recorded, name);
  const protocol = own ?? (await protocolOf(named, recorded));
  const network = topology(headerOf(trace, name, 'topology'));
  const options = ownProtocol(protocol.name) ? {} : recorded;
  const setup = { protocol: protocol.name, options, topology: network.spec, budget: {} };
  try {
    return linkOfRun(protocol, network, trace, setup);
  } catch (error) {
    if (error instanceof ConclaveError)
      throw new ConclaveError(error.code, `${name}: ${error.what}`, error.cure, { cause: error });
    throw error;
  }
}

/**
 * The link to a recorded run of a system: with a budget that allows it, and never less than that of
 * `setup`.
 *
 * @throws {ConclaveError} `diverged` where the protocol does not take this run; `bad-input` where
 * it cannot be followed.
 */
export function linkOfRun(protocol: Protocol, network: Topology, trace: Trace, setup: Setup): Link {
  const needed = budgetOf(protocol, trace);
  const least = { ...setup.budget, ...(needed.crashes > 0 && crashesOn(network)) };
  const budget = largerOf(least, needed, trace);
  const { actions, lines, tick } = follow(protocol, network, trace, budget);
  const time = budget.time ?? protocol.channels.time;
  const isExact = tick !== undefined && time !== undefined && time !== 'untimed';
  const times = timesOf(trace, lines);
  return {
    setup: {
      ...setup,
      topology: network.spec,
      budget: { ...budget, ...(isExact && { time: { ...time, tick } }) },
    },
    view: 'world',
    steps: actions,
    ...(times && { times }),
  };
}

/** The times of the actions at these lines, where each has one; they never decrease. */
function timesOf({ lines: all }: Trace, lines: readonly number[]): readonly number[] | undefined {
  let latest = 0;
  const times: number[] = [];
  for (const at of lines) {
    const time = all[at]?.time;
    if (time === undefined) return undefined;
    latest = Math.max(latest, time);
    times.push(latest);
  }
  return times;
}

/** What `budget` allows, and all that `needed` does. */
function largerOf(
  { atomicSteps, ...budget }: StudioBudget,
  needed: StudioBudget,
  { lines }: Trace,
): StudioBudget {
  const larger: Record<string, number> = {};
  for (const name of faults.faultNames) {
    const most = Math.max(budget[name] ?? 0, needed[name] ?? 0);
    if (most > 0) larger[name] = most;
  }
  const commands = Math.max(budget.commands ?? 1, needed.commands ?? 0);
  const { initiators = [], inputs, order, time, unsent, unexpected } = needed;
  return {
    ...budget,
    ...defined({ order, time, unsent, unexpected }),
    ...(atomicSteps && !lines.some((_, at) => isUnsentInStep(lines, at)) && { atomicSteps }),
    ...larger,
    ...(commands > 1 && { commands }),
    ...(inputs && { inputs: unique([...(budget.inputs ?? []), ...inputs]) }),
    ...(budget.initiators && { initiators: unique([...budget.initiators, ...initiators]) }),
  };
}

/** @throws {ConclaveError} `bad-input` where the user's protocol has other options than a trace. */
function requireOptions(
  { name: protocol, options = {} }: Protocol,
  recorded: object,
  name: string,
) {
  const [given, had] = [JSON.stringify(recorded), JSON.stringify(options)];
  if (given === had) return;
  throw badInput(
    say('{name} was recorded with the options {given}, and your {protocol} has {had}', {
      name,
      given,
      protocol,
      had,
    }),
    say('Bundle that one.'),
  );
}

const examples = { protocol: 'ricart-agrawala', topology: 'complete:5' };

function headerOf({ header }: Trace, name: string, key: keyof typeof examples): string {
  const value = header.get(key);
  if (value !== undefined) return value;
  throw new ConclaveError(
    'bad-trace',
    say('{name}: its header has no {key}', { name, key }),
    say("A trace begins with lines such as '# {key}: {example}'.", { key, example: examples[key] }),
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
  throw new ConclaveError(
    'bad-trace',
    say("{name}: its options '{text}' are not a JSON object", { name, text }),
    say('They read like {example}.', { example: '{"greedy":2}' }),
  );
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
