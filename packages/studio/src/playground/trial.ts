/**
 * What is written in the playground, loaded, checked and judged in a worker, which is ended where
 * it takes too long.
 */
import type { ConclaveError } from '@conclave/core/protocol';
import { batch, signal } from '@preact/signals';
import type { Layouts } from '../chart/chart-layout.js';
import type { Part } from '../course/code-exercise.js';
import type { PageExercise } from '../course/judge.js';
import type { Setup } from '../link/link.js';
import { language, say, type Table } from '../texts/say.js';
import { beginWorker, Job, type Port } from '../worker/job.js';
import type { Loaded, Tried } from './tried.js';
import { writtenScript } from './user-module.js';

/** In milliseconds: then the worker is ended, whatever it does. */
const patience = { loading: 10_000, checking: 20_000 };
const limits = { states: 200_000, memory: 500, seconds: 10 };

/**
 * What somebody writes, tried in a worker again and again. What was found of the last version that
 * ran stays until the next one has run.
 */
export class Trial {
  readonly loaded = signal<Loaded | undefined>(undefined);
  readonly tried = signal<Tried | undefined>(undefined);
  readonly problem = signal<Problem | undefined>(undefined);
  readonly running = signal(false);
  #end = () => {};

  constructor(
    private readonly begin: (script: string) => Port = (script) =>
      beginWorker([writtenScript(script)]),
  ) {}

  /** Tries a script; the one before is ended. */
  start(script: string, setup: Setup, layouts: Layouts = {}): void {
    this.#end();
    this.running.value = true;
    const job = new Job('tried', setup, () => this.begin(script));
    job.start({ limits, layouts, language: language() });
    let timer: ReturnType<typeof setTimeout>;
    const wait = (what: string, ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => this.fail(late(what, ms)), ms);
    };
    wait(say('the module'), patience.loading);
    const ends = [
      job.progress.subscribe((progress) => {
        if (progress === undefined) return;
        wait(say('a step, a guard or a property'), patience.checking);
        this.loaded.value = JSON.parse(progress);
      }),
      job.outcome.subscribe((outcome) => {
        if (outcome?.kind === 'failed') this.fail(problemOf(outcome.error));
        if (outcome?.kind !== 'answered') return;
        batch(() => {
          this.end();
          this.problem.value = undefined;
          this.tried.value = JSON.parse(outcome.result);
        });
      }),
    ];
    this.#end = () => {
      clearTimeout(timer);
      for (const end of ends) end();
      job.stop();
    };
  }

  /** There is nothing to try, or nothing was found. */
  fail(problem: Problem): void {
    this.end();
    this.problem.value = problem;
  }

  end(): void {
    this.#end();
    this.running.value = false;
  }
}

/** In milliseconds, as `conclave grade` has it: then the worker is ended, whatever it does. */
const gradingTime = 30_000;

/** What somebody has written for an exercise, judged in a worker. */
export class Judging {
  readonly parts = signal<readonly Part[] | undefined>(undefined);
  /** Why it could not be judged. */
  readonly problem = signal<Problem | undefined>(undefined);
  readonly running = signal(false);
  #end = () => {};

  constructor(
    private readonly texts: Table,
    private readonly begin: (script: string) => Port = (script) =>
      beginWorker([writtenScript(script)]),
  ) {}

  /** Judges a script; the one before is ended. */
  start(script: string, exercise: PageExercise): void {
    this.clear();
    this.running.value = true;
    const setup = { protocol: exercise.protocol, options: {}, budget: {} };
    const job = new Job('judged', setup, () => this.begin(script));
    job.start({ exercise, texts: this.texts, language: language() });
    const timer = setTimeout(
      () => this.fail(late(say('a step, a guard or a property'), gradingTime)),
      gradingTime,
    );
    const ignore = job.outcome.subscribe((outcome) => {
      if (outcome?.kind === 'failed') this.fail(problemOf(outcome.error));
      if (outcome?.kind !== 'answered') return;
      batch(() => {
        this.clear();
        this.parts.value = JSON.parse(outcome.result);
      });
    });
    this.#end = () => {
      clearTimeout(timer);
      ignore();
      job.stop();
    };
  }

  /** Nothing is judged. */
  clear(): void {
    this.#end();
    batch(() => {
      this.running.value = false;
      this.parts.value = undefined;
      this.problem.value = undefined;
    });
  }

  fail(problem: Problem): void {
    this.clear();
    this.problem.value = problem;
  }
}

/** What went wrong, in which line, from 1, and what to try. */
export interface Problem {
  readonly line?: number | undefined;
  readonly what: string;
  readonly cure: string;
}

/** That something has not ended within so many milliseconds. */
const late = (what: string, ms: number): Problem => ({
  what: say('Stopped: {what} has not ended within {seconds} s', { what, seconds: ms / 1000 }),
  cure: say('Is there a loop without an end?'),
});

function problemOf({ code, what, cure, cause }: ConclaveError): Problem {
  const [, line, rest = what] = /^Line (\d+): (.*)$/s.exec(what) ?? [];
  const why = code === 'aborted' && typeof cause === 'string' && cause.replace(/^Uncaught /, '');
  return { line: line ? Number(line) : undefined, what: why || rest, cure: why ? '' : cure };
}
