import type { ComponentChildren } from 'preact';
import { budgetTexts } from '../../model/budget-text.js';
import { say } from '../../texts/say.js';
import type { Job } from '../../worker/job.js';
import type { Input, TaskName } from '../../worker/tasks.js';
import { Button } from '../parts/button.js';
import type { SessionProps } from '../studio.js';

export interface JobButtonProps<T extends TaskName> {
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

export interface JobHeadProps<T extends TaskName> extends SessionProps, JobButtonProps<T> {
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
