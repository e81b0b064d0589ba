/**
 * A run that somebody writes down: for each step the node and its event, as in the first two columns
 * of a trace. What the machines make of it is filled in, and how the properties stand at its end.
 */

import { readable } from '@conclave/core/internal';
import { eventText, headerWith, traceHeader } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import type { Link, Topology } from '@conclave/core/topology';
import type { Trace } from '@conclave/core/trace';
import { checkGiven } from '../options/options.js';
import { actionText, faultsIn, runLines } from '../worlds/run-lines.js';
import type { Action } from '../worlds/world.js';
import { nextOrFault, Worlds } from '../worlds/worlds.js';
import { RunJudge, type Standing } from './run-judge.js';

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
  { header, lines }: Trace,
  where = (step: number): string => `Step ${step}`,
): Scheduled {
  checkGiven('schedule', { protocol, topology });
  const worlds = new Worlds(protocol, topology, {
    ...{ commands: 'unlimited', time: 'untimed' },
    ...faultsIn(lines),
    ...(header.get('unexpected') === 'discard' && { unexpected: 'discard' }),
  });
  const judge = new RunJudge(worlds);
  let run = judge.begin();
  const actions: Action[] = [];
  const { shown } = readable(protocol);
  const take = (action: Action) => {
    const next = nextOrFault(worlds, run.position.world, action);
    run = judge.after(run, action, next);
    if (!(next instanceof ConclaveError)) actions.push(action);
  };
  const arrive = (written?: string) => {
    for (;;) {
      const { world, fault } = run.position;
      const [only, ...others] = fault ? [] : worlds.actions(world);
      const isInside = ({ from, to }: Link) =>
        only?.type === 'deliver' && only.from === from && only.to === to;
      if (!only || others.length > 0 || !worlds.inProcess.some(isInside)) return;
      if (actionText(protocol, only) === written) return;
      take(only);
    }
  };
  for (const [at, { node, event }] of lines.entries()) {
    if (event.kind === 'start') continue; // it is in the initial world
    const text = `${node} ${eventText(event)}`;
    arrive(text);
    const { world, fault } = run.position;
    const possible = fault ? [] : worlds.actions(world);
    const action = possible.find((one) => actionText(protocol, one) === text);
    if (!action) {
      const texts = [...new Set(possible.map((one) => actionText(protocol, one)))];
      const instead =
        texts.length > 0 ? `possible is ${shown(texts.join('; '))}` : 'nothing is possible';
      const why = fault ? `the step before it fails: ${fault.what}` : instead;
      const cure = fault ? 'End with the step that fails.' : 'Write what is possible there.';
      throw new ConclaveError(
        'diverged',
        `${where(at + 1)}: '${shown(text)}' is not possible; ${why}`,
        cure,
      );
    }
    take(action);
  }
  arrive();
  const { fault } = run.position;
  const filled = headerWith([...traceHeader(protocol, topology), ...faultHeader(fault)]);
  return {
    trace: { header: filled, lines: runLines(worlds, actions).lines },
    standings: run.standings,
  };
}

const faultHeader = (fault: ConclaveError | undefined): [string, string][] =>
  fault ? [['fault', fault.message]] : [];
