import { batch, signal } from '@preact/signals';
import type { Layouts } from '../chart/chart-layout.js';
import type { Setup } from '../link/setup.js';
import { language, say } from '../texts/say.js';
import { beginWorker, Job, type Port } from '../worker/job.js';
import { late, type Problem, problemOf } from './problem.js';
import type { Loaded, Tried } from './tried.js';
import { writtenScript } from './written.js';

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
