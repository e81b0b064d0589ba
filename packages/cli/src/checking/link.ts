/** Links that open a counterexample in the studio. */
import { isDeepStrictEqual } from 'node:util';
import type { Exploration } from '@conclave/core/exploration';
import type { Protocol, TimeModel } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { pageUrl } from '@conclave/studio/internal/page';
import { linkText, type Setup } from '@conclave/studio/link';
import type { CheckBudget } from '../input/environment.js';
import { looksLikePath } from '../input/module.js';
import { defined } from '../input/options.js';
import { commandLine } from '../output/trace.js';
import type { CheckOptions } from './options.js';

type Finding = Pick<Exploration['properties'][number], 'verdict' | 'steps' | 'loopsFromStep'>;

/** What was checked, by the name that the user gave. */
export interface Checked {
  readonly name: string;
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly budget: CheckBudget;
  /** In exact time, in milliseconds: the actions are numbered with it. */
  readonly tick?: number;
}

/**
 * The link to the run of a violated property: a file URL; of a module of the user's own, which the
 * page of the catalogue does not have, only what stands behind `#`. Undefined without such a run.
 */
export function linkTo(checked: Checked, finding: Finding): string | undefined {
  const hash = hashOf(checked, finding);
  return hash === undefined || looksLikePath(checked.name) ? hash : `${pageUrl}#${hash}`;
}

/** The line that says how to look at the run of a violated property; empty without such a run. */
export function lookLine(
  checked: Checked,
  finding: Finding,
  { export: exportName }: CheckOptions,
): string {
  const link = linkTo(checked, finding);
  if (link === undefined) return '';
  const { name } = checked;
  const exported = exportName === undefined ? [] : ['--export', exportName];
  return `Look: ${looksLikePath(name) ? commandLine(['studio', name, ...exported, '--link', link]) : link}\n`;
}

function hashOf(checked: Checked, { verdict, steps, loopsFromStep }: Finding): string | undefined {
  if (verdict !== 'violated' || !steps) return undefined;
  return linkText({
    setup: setupOf(checked),
    view: 'world',
    steps,
    ...defined({ loopsFrom: loopsFromStep }),
  });
}

/** The system of a check; what is as by default is left out. */
function setupOf({ name, protocol, topology, budget, tick }: Checked): Setup {
  const {
    commands,
    initiators,
    losses,
    duplications,
    crashes,
    restarts,
    partitions,
    atomicSteps,
    unsent,
    order,
    time,
  } = budget;
  const counted = (count: number, usual = 0) => (count === usual ? undefined : count);
  return {
    protocol: protocol.name,
    options: looksLikePath(name) ? {} : (protocol.options ?? {}),
    topology: topology.spec,
    budget: defined({
      commands: counted(commands, 1),
      losses: counted(losses),
      duplications: counted(duplications),
      crashes: counted(crashes),
      restarts: counted(restarts),
      partitions: counted(partitions),
      order: order === protocol.channels.order ? undefined : order,
      ...{ initiators, atomicSteps, unsent, time: timeIn(protocol, time, tick) },
    }),
  };
}

/** The model of time, with its tick; undefined where it is that of the protocol, which has none. */
function timeIn(
  { channels }: Protocol,
  time: TimeModel,
  tick: number | undefined,
): TimeModel | undefined {
  const fitted = time === 'untimed' || !tick ? time : { ...time, tick };
  return isDeepStrictEqual(fitted, channels.time ?? 'untimed') ? undefined : fitted;
}
