import { signal } from '@preact/signals';
import { say, sayLabels } from '../../texts/say.js';
import type { Job } from '../../worker/job.js';
import { JobHead } from '../jobs/head.js';
import { jobsOf } from '../jobs/jobs.js';
import { Tabs } from '../parts/tabs.js';
import type { SessionProps } from '../studio.js';
import { checkInput, Options } from './options.js';
import { Progress, Stopped } from './progress.js';
import { StateGraphView } from './state-graph.js';
import { Verdicts } from './verdicts.js';
import { WhatIfs } from './what-if.js';
import './check.css';

const tabs = [
  { id: 'verdicts', label: 'Verdicts' },
  { id: 'graph', label: 'State graph' },
] as const;

const tab = signal<(typeof tabs)[number]['id']>('verdicts');

/** The explorer in the page: every interleaving of the session's system. */
export function Check({ session }: SessionProps) {
  const { check } = jobsOf(session.system.setup);
  return (
    <div class="check stack">
      <JobHead
        session={session}
        title={say('Every interleaving of')}
        job={check}
        input={() => checkInput.value}
        onStop={() => check.pause()}
        start={check.outcome.value ? say('Check again') : say('Check')}
      >
        <Tabs label={say('What to look at')} tabs={sayLabels(tabs)} chosen={tab} />
        <Options />
      </JobHead>
      {tab.value === 'graph' ? (
        <StateGraphView session={session} />
      ) : (
        <div class="check-columns">
          <section class="card" aria-label={say('Verdicts')}>
            <Result job={check} />
          </section>
          <WhatIfs session={session} />
        </div>
      )}
    </div>
  );
}

function Result({ job }: { readonly job: Job<'check'> }) {
  const { value: outcome } = job.outcome;
  if (job.running.value) return <Progress job={job} />;
  if (!outcome)
    return (
      <p class="check-hint faint">
        {say(
          'The explorer takes every action in every order, in this page, and judges each property. Press Check, or ask what happens if an assumption is broken.',
        )}
      </p>
    );
  if (outcome.kind === 'stopped') return <Stopped job={job} />;
  if (outcome.kind === 'failed') return <p class="check-hint alarm">{outcome.error.message}</p>;
  return <Verdicts setup={job.setup} checked={outcome.result} />;
}
