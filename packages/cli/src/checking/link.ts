/** Links that open a counterexample in the studio. */
import { isDeepStrictEqual } from 'node:util';
import type { PropertyFinding } from '@conclave/core/exploration';
import type { Protocol, TimeModel } from '@conclave/core/protocol';
import { pageUrl } from '@conclave/studio/internal/page';
import { linkText, type Setup } from '@conclave/studio/link';
import { looksLikePath } from '../input/module.js';
import { defined } from '../input/options.js';
import { commandLine } from '../output/trace.js';
import type { NetworkCheck } from './check.js';

type Finding = Pick<PropertyFinding, 'verdict' | 'steps' | 'loopsFromStep'>;

/** In exact time, in milliseconds: the actions are numbered with it. */
type Tick = number | undefined;

/**
 * The link to the run of a violated property: a file URL; of a module of the user's own, which the
 * page of the catalogue does not have, only what stands behind `#`. Undefined without such a run.
 */
export function linkTo(check: NetworkCheck, finding: Finding, tick: Tick): string | undefined {
  const { verdict, steps, loopsFromStep } = finding;
  if (verdict !== 'violated' || !steps) return undefined;
  const hash = linkText({
    setup: setupOf(check, tick),
    view: 'world',
    steps,
    ...defined({ loopsFrom: loopsFromStep }),
  });
  return looksLikePath(check.name) ? hash : `${pageUrl}#${hash}`;
}

/** The line that says how to look at the run of a violated property; empty without such a run. */
export function lookLine(check: NetworkCheck, finding: Finding, tick: Tick): string {
  const link = linkTo(check, finding, tick);
  if (link === undefined) return '';
  const { name, options } = check;
  const exported = options.export === undefined ? [] : ['--export', options.export];
  return `Look: ${looksLikePath(name) ? commandLine(['studio', name, ...exported, '--link', link]) : link}\n`;
}

/** The system of a check; what is as by default is left out. */
function setupOf({ name, protocol, topology, budget }: NetworkCheck, tick: Tick): Setup {
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
    mayCrash,
    unexpected,
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
      ...{
        initiators,
        atomicSteps,
        unsent,
        mayCrash,
        unexpected,
        time: timeIn(protocol, time, tick),
      },
    }),
  };
}

/** The model of time, with its tick; undefined where it is that of the protocol, which has none. */
function timeIn({ channels }: Protocol, time: TimeModel, tick: Tick): TimeModel | undefined {
  const fitted = time === 'untimed' || !tick ? time : { ...time, tick };
  return isDeepStrictEqual(fitted, channels.time ?? 'untimed') ? undefined : fitted;
}
