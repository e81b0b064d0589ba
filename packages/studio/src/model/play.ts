/**
 * Simulations of a system as links: the run of a simulation, as one that the user could take by
 * hand.
 */
import { Worlds } from '@conclave/check/internal';
import { faults } from '@conclave/core/internal';
import { parseCrash, parseDelay, usualWorkload } from '@conclave/core/internal/simulation';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { type Conditions, type SimulationResult, simulate } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import type { Trace } from '@conclave/core/trace';
import { defined } from '../base/collections.js';
import { badInput } from '../base/input.js';
import type { Link, Setup } from '../link/link.js';
import { say } from '../texts/say.js';
import { failingAction } from './session.js';
import type { System } from './system.js';
import { linkOfRun } from './trace-link.js';

/** How long a run that is played may be. */
const mostSteps = 1000;

/** What a simulation is run with; faults of channels by their probability. */
export interface PlaySettings extends Omit<Conditions, 'delay'> {
  /** Same settings and seed, same run. */
  readonly seed: number;
  /** As the command line writes it: `uniform:1:10`. */
  readonly delay: string;
  /** As the command line writes them, such as `c@100+50`; with commas between them. */
  readonly crashes: string;
  /** How often each competitor enters the critical section. */
  readonly entries: number;
}

export interface SimulatedLink {
  /** The whole run, at its beginning. */
  readonly link: Link;
  /** How it ended, in a sentence. */
  readonly ending: string;
}

/** What fits a system: the delays of its links or of its exact time; nothing fails. */
export function usualSettings({ protocol, topology, worlds }: System): PlaySettings {
  const { time = 'untimed' } = protocol.channels;
  const isMeasured =
    topology.links.length > 0 && topology.links.every(({ delay }) => delay !== undefined);
  const [least, most] = time === 'untimed' ? [1, 10] : time.delay;
  const delay = isMeasured ? 'geo' : `uniform:${least}:${most}`;
  const rates = faults.perChannelFault('tolerance', () => 0);
  return { seed: 1, delay, order: worlds.order, ...rates, crashes: '', entries: 1 };
}

/**
 * Simulates a system, and makes a link of the run: with a budget that allows it, and never less
 * than the system's.
 *
 * @throws {ConclaveError} `bad-input` for settings that make no sense.
 */
export function simulatedLink(
  { protocol, topology, setup, worlds }: System,
  settings: PlaySettings,
): SimulatedLink {
  const { seed, order, entries } = settings;
  const rates = faults.perChannelFault('tolerance', ({ tolerance }) => settings[tolerance]);
  const { initiators, inputs } = setup.budget;
  const conditions: Conditions = { delay: parseDelay(settings.delay), order, ...rates };
  const result = simulate({
    ...{ protocol, topology, seed, conditions },
    faults: crashesIn(settings.crashes),
    workload: usualWorkload(protocol, { entries, ...defined({ nodes: initiators, inputs }) }),
    until: { steps: mostSteps },
    record: true,
  });
  if (!result.trace)
    throw badInput(say('The simulation has recorded no run'), say('Try another seed.'));
  const run = { ...setup, budget: { ...setup.budget, ...(order !== worlds.order && { order }) } };
  const ending = endingOf(result);
  const linkOf = (setup: Setup, trace: Trace): Link => {
    const link = { ...linkOfRun(protocol, topology, trace, setup), at: 0 };
    return result.fault === undefined ? link : withFault(protocol, topology, link, result);
  };
  const untimed = { ...run, budget: { ...run.budget, time: 'untimed' as const } };
  const note = say(
    'Its delays are none that the protocol assumes, so by hand all may happen at any moment',
  );
  const { trace } = result;
  if (!worlds.clockwork || fits(conditions.delay, protocol))
    try {
      return { link: linkOf(run, trace), ending };
    } catch (error) {
      if (!worlds.clockwork || !(error instanceof ConclaveError)) throw error;
    }
  return { link: linkOf(untimed, trace), ending: `${ending}. ${note}` };
}

/** Whether a delay may be one that the protocol assumes; true where that is unknown. */
function fits(delay: Conditions['delay'], { channels: { time = 'untimed' } }: Protocol): boolean {
  if (time === 'untimed' || delay.kind === 'link') return true;
  const [from, to] =
    delay.kind === 'fixed'
      ? [delay.ms, delay.ms]
      : delay.kind === 'uniform'
        ? [delay.least, delay.most]
        : [0, Infinity];
  const [least, most] = time.delay;
  return from >= least && to <= most;
}

/** The link with the step that broke the node contract: a trace ends before it. */
function withFault(
  protocol: Protocol,
  network: Topology,
  link: Link,
  { fault = '', virtualMs }: SimulationResult,
): Link {
  const worlds = new Worlds(protocol, network, link.setup.budget);
  const number = failingAction(worlds, link.steps, ({ what }) => fault.startsWith(what));
  if (number < 0) return link;
  return {
    ...link,
    steps: [...link.steps, number],
    ...(link.times && { times: [...link.times, virtualMs] }),
  };
}

const crashesIn = (text: string) =>
  text.split(',').flatMap((part) => (part.trim() === '' ? [] : [parseCrash(part.trim())]));

function endingOf({ ended, virtualMs, violated, fault }: SimulationResult): string {
  const at = `${Math.round(virtualMs)} ms`;
  if (fault !== undefined) return say('A node broke its contract at {at}: {fault}', { at, fault });
  if (violated !== undefined) return say('Violated at {at}: {violated}', { at, violated });
  if (ended === 'quiescent') return say('Nothing was left to do at {at}', { at });
  if (ended === 'served')
    return say('Every request was served at {at}; the protocol itself runs forever', { at });
  if (ended === 'step limit')
    return say('Cut off at {at}: a run that is played has at most {mostSteps} steps', {
      at,
      mostSteps,
    });
  return say('Ended at {at}: {ended}', { at, ended });
}
