import { batch, signal } from '@preact/signals';
import type { Part } from '../course/code-exercise.js';
import type { PageExercise } from '../course/page-exercise.js';
import { language, say, type Table } from '../texts/say.js';
import { beginWorker, Job, type Port } from '../worker/job.js';
import { late, type Problem, problemOf } from './problem.js';
import { writtenScript } from './written.js';

/** In milliseconds, as `conclave grade` has it: then the worker is ended, whatever it does. */
const patience = 30_000;

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
      () => this.fail(late(say('a step, a guard or a property'), patience)),
      patience,
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
