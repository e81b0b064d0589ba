import { useEffect } from 'preact/hooks';
import { grouped } from '../../base/numbers.js';
import type { PathsProgress } from '../../model/paths.js';
import { say, sayLabels } from '../../texts/say.js';
import { JobHead } from '../jobs/head.js';
import { jobsOf } from '../jobs/jobs.js';
import { Tabs } from '../parts/tabs.js';
import type { SessionProps } from '../studio.js';
import { choiceOf } from './choice.js';
import { List } from './list.js';
import './paths.css';

const kinds = [
  { id: 'shortest', label: 'Shortest paths' },
  { id: 'simple', label: 'Simple paths' },
] as const;

const meanings = {
  shortest: 'To each world one of the shortest paths.',
  simple: 'To each world every path that visits no world twice.',
} as const;

/** The paths that model tests generate, and the transitions of the statechart that they take. */
export function Paths({ session }: SessionProps) {
  const { paths: job } = jobsOf(session.system.setup);
  const choice = choiceOf(job);
  const { value: kind } = choice.kind;
  useEffect(() => {
    if (choice.generated === kind) return;
    choice.generated = kind;
    choice.page.value = 0;
    job.start({ kind });
  }, [job, kind]);
  const { value: outcome } = job.outcome;
  return (
    <div class="paths stack">
      <JobHead
        session={session}
        title={say('Paths of')}
        job={job}
        input={() => ({ kind })}
        start={outcome?.kind === 'answered' ? undefined : say('Generate')}
      >
        <Tabs label={say('Which paths')} tabs={sayLabels(kinds)} chosen={choice.kind} />
      </JobHead>
      <p class="faint">
        {say('The paths that model tests generate.')} {say(meanings[kind])}{' '}
        {say('Those that are the beginning of another one are left out. A click plays a path.')}
      </p>
      {job.running.value && <Progress progress={job.progress.value} />}
      {outcome?.kind === 'stopped' && (
        <p class="paths-hint card faint">{say('Stopped; no path is known.')}</p>
      )}
      {outcome?.kind === 'failed' && <p class="paths-hint card alarm">{outcome.error.message}</p>}
      {outcome?.kind === 'answered' && (
        <List session={session} found={outcome.result} choice={choice} />
      )}
    </div>
  );
}

function Progress({ progress }: { readonly progress: PathsProgress | undefined }) {
  const { worlds = 0, paths = 0 } = progress ?? {};
  const found =
    paths === 0
      ? say('{worlds} worlds', { worlds: grouped(worlds) })
      : say('{paths} paths', { paths: grouped(paths) });
  return (
    <p
      class="paths-hint card faint numbers"
      role="progressbar"
      aria-label={say('Generating paths')}
      aria-valuetext={found}
    >
      {worlds === 0 ? say('Generating …') : say('Generating: {found} so far', { found })}
    </p>
  );
}
