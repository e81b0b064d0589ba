/**
 * A module of the playground, checked and judged in a worker. Its code may loop forever, which
 * would stop the page: so a worker that takes too long is ended.
 */
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

const limits = { states: 200_000, memory: 500, seconds: 10 };

/** What a worker does, and within how many milliseconds: then it is ended, whatever it does. */
interface Phase {
  readonly what: string;
  readonly ms: number;
}

const loading = (): Phase => ({ what: say('the module'), ms: 10_000 });
const executing = (ms: number): Phase => ({ what: say('a step, a guard or a property'), ms });

/** A task about a script, in a worker; the next one ends it. */
class ScriptTask {
  readonly problem = signal<Problem | undefined>(undefined);
  readonly running = signal(false);
  #end = () => {};

  constructor(
    protected readonly openPort: (script: string) => Port = (script) =>
      startWorker([moduleScript(script)]),
  ) {}

  /**
   * Takes the result of a job, unless a phase takes too long. Each report of its progress begins a
   * phase: `onProgress` says which one.
   */
  protected follow<T extends TaskName>(
    job: Job<T>,
    first: Phase,
    take: (result: Result<T>) => void,
    onProgress: (progress: Progress<T>) => Phase = () => first,
  ): void {
    this.running.value = true;
    let timer: ReturnType<typeof setTimeout>;
    const begin = (phase: Phase) => {
      clearTimeout(timer);
      timer = setTimeout(() => this.fail(late(phase)), phase.ms);
    };
    begin(first);
    const ends = [
      job.progress.subscribe((progress) => {
        if (progress !== undefined) begin(onProgress(progress));
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

/**
 * The check of a script. The result of the last version that ran stays until the next one has run.
 */
export class Trial extends ScriptTask {
  readonly loaded = signal<LoadedModule | undefined>(undefined);
  readonly result = signal<TrialResult | undefined>(undefined);

  start(script: string, setup: Setup, layouts: Layouts = {}): void {
    this.end();
    const job = new Job('trial', setup, () => this.openPort(script));
    job.start({ limits, layouts });
    this.follow(
      job,
      loading(),
      (result) => {
        this.result.value = JSON.parse(result);
      },
      (progress) => {
        this.loaded.value = JSON.parse(progress);
        return executing(20_000);
      },
    );
  }
}

/** In milliseconds, as in `conclave grade`. */
const gradingTime = 30_000;

/** The judgement of a script for an exercise. */
export class Judging extends ScriptTask {
  readonly parts = signal<readonly Part[] | undefined>(undefined);

  start(script: string, exercise: PageExercise): void {
    this.clear();
    const setup = { protocol: exercise.protocol, options: {}, budget: {} };
    const job = new Job('judging', setup, () => this.openPort(script));
    job.start({ exercise });
    this.follow(job, executing(gradingTime), (result) => {
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

const late = ({ what, ms }: Phase): Problem => ({
  what: say('Stopped: {what} has not ended within {seconds} s', { what, seconds: ms / 1000 }),
  cure: say('Is there a loop without an end?'),
});

function problemOf({ code, what, cure, cause }: ConclaveError): Problem {
  const [, line, rest = what] = /^Line (\d+): (.*)$/s.exec(what) ?? [];
  const why = code === 'aborted' && typeof cause === 'string' && cause.replace(/^Uncaught /, '');
  return { line: line ? Number(line) : undefined, what: why || rest, cure: why ? '' : cure };
}
