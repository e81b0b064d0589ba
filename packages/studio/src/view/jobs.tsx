import { effect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Setup } from '../link/link.js';
import { ownProtocol } from '../model/own.js';
import { budgetTexts } from '../model/system.js';
import { say } from '../texts/say.js';
import { Job } from '../worker/job.js';
import type { Input, TaskName } from '../worker/tasks.js';
import { Button } from './parts/controls.js';
import { type SessionProps, session, setupText } from './studio.js';

/** The jobs about one setup; kept, so that a user who follows a counterexample finds them again. */
interface Jobs {
  readonly check: Job<'check'>;
  readonly graph: Job<'graph'>;
  readonly paths: Job<'paths'>;
}

/** Older results are forgotten: traces and graphs take memory. */
const most = 24;

const recent = new Map<string, Jobs>();

/** A module of the user may be replaced by another one of the same name. */
const keyOf = (setup: Setup): string =>
  `${setupText(setup)} ${ownProtocol(setup.protocol)?.source ?? ''}`;

export function jobsOf(setup: Setup): Jobs {
  const key = keyOf(setup);
  const jobs = recent.get(key) ?? {
    check: new Job('check', setup),
    graph: new Job('graph', setup),
    paths: new Job('paths', setup),
  };
  recent.delete(key);
  recent.set(key, jobs); // the last one is the newest
  for (const [oldest, one] of recent) {
    if (recent.size <= most) break;
    stop(one);
    recent.delete(oldest);
  }
  return jobs;
}

function stop(jobs: Jobs): void {
  for (const job of Object.values(jobs)) job.stop();
}

let last: string | undefined;

/** A session that is closed needs no results: its workers end. */
effect(() => {
  const setup = session.value?.system.setup;
  const key = setup && keyOf(setup);
  if (key === last) return;
  last = key;
  for (const [other, one] of recent) if (other !== key) stop(one);
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

export function JobButton<T extends TaskName>({ job, start, about, ...props }: JobButtonProps<T>) {
  const { kind, input, onStop } = props;
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
      <h2 class="large">
        {title} {system.topology.spec}
      </h2>
      <p class="faint">{budgetTexts(system).join('; ')}</p>
    </div>
    {children}
    <JobButton {...button} kind="primary" />
  </header>
);
