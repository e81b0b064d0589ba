/** A module of the playground, checked and judged in a worker, which is ended in time. */
import type { ConclaveError } from '@conclave/core/protocol';
import { batch, signal } from '@preact/signals';
import type { Layouts } from '../chart/graph.js';
import type { PageExercise, Part } from '../course/judge.js';
import type { Setup } from '../link/link.js';
import { say } from '../texts/say.js';
import { Job, type Port, startWorker } from '../worker/job.js';
import type { Progress, Result, TaskName } from '../worker/tasks.js';
import type { LoadedModule, TrialResult } from './trial-tasks.js';
import { moduleScript } from './user-module.js';

/** In milliseconds: then the worker is ended, whatever it does. */
const patience = { loading: 10_000, checking: 20_000 };
const limits = { states: 200_000, memory: 500, seconds: 10 };

/** What is done with a script in a worker, again and again; the one before is ended. */
class Work {
  readonly problem = signal<Problem | undefined>(undefined);
  readonly running = signal(false);
  #end = () => {};

  constructor(
    protected readonly openPort: (script: string) => Port = (script) =>
      startWorker([moduleScript(script)]),
  ) {}

  /** Takes over what a job tells, which has so long to end, or to tell something. */
  protected follow<T extends TaskName>(
    job: Job<T>,
    [what, ms]: readonly [what: string, ms: number],
    take: (result: Result<T>) => void,
    onProgress: (progress: Progress<T>) => readonly [what: string, ms: number] = () => [what, ms],
  ): void {
    this.running.value = true;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (what: string, ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => this.fail(late(what, ms)), ms);
    };
    wait(what, ms);
    const ends = [
      job.progress.subscribe((progress) => {
        if (progress !== undefined) wait(...onProgress(progress));
      }),
      job.outcome.subscribe((outcome) => {
        if (outcome?.kind === 'failed') this.fail(problemOf(outcome.error));
        if (outcome?.kind !== 'answered') return;
        batch(() => {
          this.end();
          this.problem.value = undefined;
          take(outcome.result);
        });
      }),
    ];
    this.#end = () => {
      clearTimeout(timer);
      for (const end of ends) end();
      job.stop();
    };
  }

  fail(problem: Problem): void {
    this.end();
    this.problem.value = problem;
  }

  end(): void {
    this.#end();
    this.running.value = false;
  }
}

/** What somebody writes, tried. What was found of the last version that ran stays until the next one has run. */
export class Trial extends Work {
  readonly loaded = signal<LoadedModule | undefined>(undefined);
  readonly result = signal<TrialResult | undefined>(undefined);

  start(script: string, setup: Setup, layouts: Layouts = {}): void {
    this.end();
    const job = new Job('trial', setup, () => this.openPort(script));
    job.start({ limits, layouts });
    this.follow(
      job,
      [say('the module'), patience.loading],
      (result) => {
        this.result.value = JSON.parse(result);
      },
      (progress) => {
        this.loaded.value = JSON.parse(progress);
        return [say('a step, a guard or a property'), patience.checking];
      },
    );
  }
}

/** In milliseconds, as `conclave grade` has it: then the worker is ended, whatever it does. */
const gradingTime = 30_000;

/** What somebody has written for an exercise, judged. */
export class Judging extends Work {
  readonly parts = signal<readonly Part[] | undefined>(undefined);

  start(script: string, exercise: PageExercise): void {
    this.clear();
    const setup = { protocol: exercise.protocol, options: {}, budget: {} };
    const job = new Job('judging', setup, () => this.openPort(script));
    job.start({ exercise });
    this.follow(job, [say('a step, a guard or a property'), gradingTime], (result) => {
      this.parts.value = JSON.parse(result);
    });
  }

  clear(): void {
    this.end();
    this.parts.value = undefined;
    this.problem.value = undefined;
  }
}

/** What went wrong, in which line, from 1, and what to try. */
export interface Problem {
  readonly line?: number | undefined;
  readonly what: string;
  readonly cure: string;
}

const late = (what: string, ms: number): Problem => ({
  what: say('Stopped: {what} has not ended within {seconds} s', { what, seconds: ms / 1000 }),
  cure: say('Is there a loop without an end?'),
});

function problemOf({ code, what, cure, cause }: ConclaveError): Problem {
  const [, line, rest = what] = /^Line (\d+): (.*)$/s.exec(what) ?? [];
  const why = code === 'aborted' && typeof cause === 'string' && cause.replace(/^Uncaught /, '');
  return { line: line ? Number(line) : undefined, what: why || rest, cure: why ? '' : cure };
}
