/**
 * A schedule: which node takes which event, step by step, as in the first two columns of a trace.
 * Whoever writes one by hand knows what should happen, not what the machines make of it. So the
 * states and effects are filled in from the definition of a world, with how the properties stand at
 * the end; a step that is not possible is refused, with what is.
 */

import { readable } from '@conclave/core/internal';
import { eventText, headerWith, traceHeader } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { Trace } from '@conclave/core/trace';
import { checkGiven } from '../options/options.js';
import { actionText, faultsIn, runLines } from '../worlds/run-lines.js';
import type { Action } from '../worlds/world.js';
import { nextOrFault, Worlds } from '../worlds/worlds.js';
import { type JudgedRun, RunJudge, type Standing } from './run-judge.js';

export interface Scheduled {
  readonly trace: Trace;
  readonly standings: readonly Standing[];
}

/**
 * The run of these events; timers fire, and messages arrive, where it says so. Within one process
 * a message arrives by itself where it is the only one.
 *
 * @param where what errors call a step, by its number from 1
 * @throws {ConclaveError} `diverged` for a step that is not possible, with what is.
 */
export function schedule(
  protocol: Protocol,
  topology: Topology,
  trace: Trace,
  where = (step: number): string => `Step ${step}`,
): Scheduled {
  checkGiven('schedule', { protocol, topology });
  const run = new ScheduledRun(worldsFor(protocol, topology, trace));
  for (const [index, { node, event }] of trace.lines.entries()) {
    if (event.kind === 'start') continue; // it is in the initial world
    const text = `${node} ${eventText(event)}`;
    run.deliverWithinProcess(text);
    const action = run.possible().find((one) => actionText(protocol, one) === text);
    if (!action) throw impossible(where(index + 1), text, run, protocol);
    run.take(action);
  }
  run.deliverWithinProcess();
  const { fault } = run;
  const header = headerWith([...traceHeader(protocol, topology), ...faultHeader(fault)]);
  return { trace: { header, lines: run.lines() }, standings: run.standings };
}

/** The worlds of a schedule: as many faults as it has, any number of commands. */
function worldsFor(protocol: Protocol, topology: Topology, { header, lines }: Trace): Worlds {
  return new Worlds(protocol, topology, {
    commands: 'unlimited',
    time: 'untimed',
    ...faultsIn(lines),
    ...(header.get('unexpected') === 'discard' && { unexpected: 'discard' }),
  });
}

/** The run so far: the actions taken, and how the properties stand. */
class ScheduledRun {
  readonly #judge: RunJudge;
  readonly #actions: Action[] = [];
  #judged: JudgedRun;

  constructor(private readonly worlds: Worlds) {
    this.#judge = new RunJudge(worlds);
    this.#judged = this.#judge.begin();
  }

  /** Why its last step failed; then the run goes no further. */
  get fault(): ConclaveError | undefined {
    return this.#judged.position.fault;
  }

  get standings(): readonly Standing[] {
    return this.#judged.standings;
  }

  lines(): Trace['lines'] {
    return runLines(this.worlds, this.#actions).lines;
  }

  possible(): readonly Action[] {
    return this.fault ? [] : this.worlds.actions(this.#judged.position.world);
  }

  take(action: Action): void {
    const next = nextOrFault(this.worlds, this.#judged.position.world, action);
    this.#judged = this.#judge.after(this.#judged, action, next);
    if (!(next instanceof ConclaveError)) this.#actions.push(action);
  }

  /**
   * Takes the deliveries that nobody writes down: within one process, as long as the delivery is all
   * that is possible, and not the step that comes `next` in the schedule.
   */
  deliverWithinProcess(next?: string): void {
    for (;;) {
      const [only, ...others] = this.possible();
      if (!only || others.length > 0 || !this.#isWithinProcess(only)) return;
      if (actionText(this.worlds.protocol, only) === next) return;
      this.take(only);
    }
  }

  #isWithinProcess(action: Action): boolean {
    return (
      action.type === 'deliver' &&
      this.worlds.inProcess.some(({ from, to }) => action.from === from && action.to === to)
    );
  }
}

function impossible(
  where: string,
  text: string,
  run: ScheduledRun,
  protocol: Protocol,
): ConclaveError {
  const { shown } = readable(protocol);
  const { fault } = run;
  const texts = [...new Set(run.possible().map((one) => actionText(protocol, one)))];
  const instead =
    texts.length > 0 ? `possible is ${shown(texts.join('; '))}` : 'nothing is possible';
  const why = fault ? `the step before it fails: ${fault.what}` : instead;
  const cure = fault ? 'End with the step that fails.' : 'Write what is possible there.';
  return new ConclaveError('diverged', `${where}: '${shown(text)}' is not possible; ${why}`, cure);
}

const faultHeader = (fault: ConclaveError | undefined): [string, string][] =>
  fault ? [['fault', fault.message]] : [];
