/**
 * What a worker does with a module that somebody writes: checks it, or judges it for an exercise. The
 * module may do what it likes there, so all answers are JSON with pictures as texts, of which the
 * page makes nothing but text and images.
 */
import { spaceTimeSvg } from '@conclave/core/trace';
import { defined } from '../base/collections.js';
import type { Layouts } from '../chart/graph.js';
import { addLayouts, drawnChart } from '../chart/svg.js';
import { answersOf, propertiesOf } from '../course/answers.js';
import {
  judgedProperties,
  judgedStates,
  type PageExercise,
  questionsOf,
  type States,
  statesOf,
  withStates,
} from '../course/judge.js';
import {
  type CheckLimits,
  check,
  conclusionOf,
  type Finding,
  lengthText,
  runText,
  type Tone,
  toneOf,
  worstFirst,
} from '../model/conclusion.js';
import { type System, systemText } from '../model/system.js';
import { draftProtocol } from './user-module.js';

interface TrialInput {
  readonly limits?: CheckLimits;
  /** Of the charts that the page knows. */
  readonly layouts?: Layouts;
}

/** What is known once the module has run. Pictures are SVG. */
export interface LoadedModule {
  readonly name: string;
  readonly title: string;
  readonly topology: string;
  /** Its network and budget, in a line. */
  readonly system: string;
  /** What it needs: such as a tree. */
  readonly network: string;
  readonly charts: readonly { readonly role: string; readonly svg: string }[];
}

export interface TrialResult {
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
  readonly states: number;
  readonly assumptions: readonly string[];
  readonly findings: readonly TrialFinding[];
}

export interface TrialFinding extends Pick<Finding, 'name' | 'kind' | 'verdict'> {
  readonly tone: Tone;
  /** A counterexample, or an example. */
  readonly run?: {
    readonly text: string;
    readonly length: string;
    readonly svg: string;
    readonly steps: readonly number[];
    readonly loopsFromStep?: number;
    /** What follows the steps fails. */
    readonly fault?: string;
  };
}

/** Checks a module: as progress a {@link LoadedModule}, then a {@link TrialResult}. */
export function checkModule(
  system: System,
  { limits = {}, layouts = {} }: TrialInput,
  onProgress: (loaded: string) => void,
): string {
  const { protocol, setup } = system;
  addLayouts(layouts);
  const loaded: LoadedModule = {
    ...{ name: protocol.name, title: protocol.title },
    ...{ topology: setup.topology, network: protocol.topology.name, system: systemText(system) },
    charts: Object.entries(protocol.roles).map(([role, { machine }]) => ({
      role,
      svg: drawnChart(protocol.drawn?.[role] ?? machine, `${protocol.title}: ${role}`).svg,
    })),
  };
  onProgress(JSON.stringify(loaded));
  const checked = check(system, { limits }, () => {});
  const { states, assumptions, properties } = checked;
  const result: TrialResult = {
    ...conclusionOf(checked),
    ...{ states, assumptions },
    findings: worstFirst(properties).map(findingOf),
  };
  return JSON.stringify(result);
}

function findingOf(finding: Finding): TrialFinding {
  const { name, kind, verdict, trace, steps, loopsFromStep } = finding;
  const tone = toneOf(verdict);
  const plain = { name, kind, verdict, tone };
  if (!trace || !steps) return plain;
  const fault = trace.header.get('fault');
  return {
    ...plain,
    run: {
      ...{ text: runText(finding), length: lengthText(finding), steps },
      svg: tone === 'false' && trace.lines.length > 0 ? spaceTimeSvg(trace) : '',
      ...defined({ loopsFromStep, fault }),
    },
  };
}

interface JudgeInput {
  readonly exercise: PageExercise;
}

/** Judges a module for an exercise on this system, as `conclave grade` does: its parts, as JSON. */
export function judgeModule(
  { protocol: right }: System,
  { exercise }: JudgeInput,
  _onProgress: (nothing: never) => void,
): string {
  const { kind, role, systems, mutants, alsoRight } = exercise;
  const task = { right, role, systems };
  if (kind !== 'say')
    return JSON.stringify(judgedStates(task, statesOf({ ...draftProtocol() }, role, right)));
  const made = (states: States) => withStates(right, role, states);
  const versions = {
    alsoRight: alsoRight.map(made),
    mutants: mutants.map(({ states, descendants }) => ({
      protocol: made(states),
      descendants: descendants.map(made),
    })),
  };
  const questions = questionsOf(task, versions, 1);
  // twice, loaded afresh: answers.ts says why
  const loads = [0, 1].map((load) =>
    answersOf(right, propertiesOf({ ...draftProtocol() }, right), questions.asked(load)),
  );
  const parts = judgedProperties(task, versions, questions.propertiesOf(loads));
  return JSON.stringify(parts);
}
