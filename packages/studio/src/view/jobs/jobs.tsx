import { effect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Setup } from '../../link/link.js';
import { budgetTexts } from '../../model/budget.js';
import { ownProtocol } from '../../model/own.js';
import { say } from '../../texts/say.js';
import { Job } from '../../worker/job.js';
import type { Input, TaskName } from '../../worker/tasks.js';
import { Button } from '../parts/button.js';
import { type SessionProps, session, setupText } from '../studio.js';

/** The jobs about one setup; kept, so that a user who follows a counterexample finds them again. */
interface Jobs {
  readonly check: Job<'check'>;
  readonly graph: Job<'graph'>;
  readonly paths: Job<'paths'>;
}

interface Kept {
  readonly jobs: Jobs;
  /** Of a user's own protocol: its module, which may be replaced by another of the same name. */
  readonly source: string | undefined;
}

/** Older results are forgotten: traces and graphs take memory. */
const most = 24;

const kept = new Map<string, Kept>();

/** The jobs about a setup: one of each kind. */
export function jobsOf(setup: Setup): Jobs {
  const key = setupText(setup);
  const source = ownProtocol(setup.protocol)?.source;
  const before = kept.get(key);
  kept.delete(key);
  const isCurrent = before?.source === source;
  if (before && !isCurrent) stop(before);
  const found =
    before && isCurrent
      ? before
      : {
          jobs: {
            check: new Job('check', setup),
            graph: new Job('graph', setup),
            paths: new Job('paths', setup),
          },
          source,
        };
  kept.set(key, found); // the last one is the newest
  for (const [oldest, one] of kept) {
    if (kept.size <= most) break;
    stop(one);
    kept.delete(oldest);
  }
  return found.jobs;
}

function stop({ jobs }: Kept): void {
  for (const job of Object.values(jobs)) job.stop();
}

let last: string | undefined;

/** A session that is closed needs no results: its workers end. */
effect(() => {
  const setup = session.value?.system.setup;
  const key = setup && setupText(setup);
  if (key === last) return;
  last = key;
  for (const [other, one] of kept) if (other !== key) stop(one);
});

interface JobButtonProps<T extends TaskName> {
  readonly job: Job<T>;
  readonly input: () => Input<T>;
  /** What the button says; undefined: only what runs can be stopped. */
  readonly start: string | undefined;
  readonly kind?: 'primary';
  /** Instead of ending it. */
  readonly onStop?: () => void;
  /** What the job is about, where there are several. */
  readonly about?: string;
}

/** Starts a job, and stops it while it runs. */
export function JobButton<T extends TaskName>({
  job,
  input,
  start,
  kind,
  onStop,
  about,
}: JobButtonProps<T>) {
  const isRunning = job.running.value;
  if (!isRunning && start === undefined) return null;
  return (
    <Button
      kind={isRunning ? 'plain' : kind}
      title={
        about && (isRunning ? say('{about}: stop', { about }) : say('{about}: check', { about }))
      }
      onClick={() => (isRunning ? (onStop ?? job.stop)() : job.start(input()))}
    >
      {isRunning ? say('Stop') : (start ?? '')}
    </Button>
  );
}

interface JobHeadProps<T extends TaskName> extends SessionProps, JobButtonProps<T> {
  readonly title: string;
  /** Between the title and the button. */
  readonly children: ComponentChildren;
}

/** The head of a page about all interleavings of a session's system. */
export const JobHead = <T extends TaskName>({
  session: { system },
  title,
  children,
  ...button
}: JobHeadProps<T>) => (
  <header class="page-head flow wraps">
    <div>
      <h2>
        {title} {system.topology.spec}
      </h2>
      <p class="faint">{budgetTexts(system).join('; ')}</p>
    </div>
    {children}
    <JobButton {...button} kind="primary" />
  </header>
);
