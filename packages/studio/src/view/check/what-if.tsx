import { useMemo } from 'preact/hooks';
import { grouped } from '../../base/numbers.js';
import { conclusionOf } from '../../model/conclusion.js';
import { type WhatIf, whatIfs } from '../../model/what-if.js';
import { say } from '../../texts/say.js';
import { JobButton } from '../jobs/head.js';
import { jobsOf } from '../jobs/jobs.js';
import { Badge } from '../parts/badge.js';
import { Button } from '../parts/button.js';
import type { SessionProps } from '../studio.js';
import { openRun } from './open-run.js';
import { checkInput } from './options.js';
import { Stopped } from './progress.js';

/**
 * What an assumption is for is learnt by breaking it: each change is checked by one click, and its
 * shortest counterexample shown by another.
 */
export function WhatIfs({ session }: SessionProps) {
  const rows = useMemo(() => whatIfs(session.system), [session]);
  return (
    <section class="what-ifs card" aria-labelledby="what-if">
      <h3 id="what-if">{say('What if …')}</h3>
      <ul>
        {rows.map((row) => (
          <Row key={row.text} session={session} whatIf={row} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps extends SessionProps {
  readonly whatIf: WhatIf;
}

function Row({ session, whatIf: { text, change, breaks } }: RowProps) {
  const { setup, protocol } = session.system;
  const job = useMemo(
    () => jobsOf({ ...setup, budget: { ...setup.budget, ...change } }).check,
    [session, text],
  );
  const { value: outcome } = job.outcome;
  const { value: progress } = job.progress;
  const result = outcome?.kind === 'answered' ? outcome.result : undefined;
  const conclusion = result && conclusionOf(result);
  return (
    <li>
      <div class="what-if-head">
        <p>
          {`${text}?`}
          {breaks !== undefined && (
            <small>
              {say('{title} assumes that {breaks}.', { title: protocol.title, breaks })}
            </small>
          )}
        </p>
        <JobButton
          job={job}
          input={() => checkInput.value}
          start={outcome ? say('Again') : say('Check')}
          about={say('What if {text}', { text })}
        />
      </div>
      <div class="what-if-found small">
        {job.running.value && (
          <p>
            {progress
              ? say('{states} worlds …', { states: grouped(progress.states) })
              : say('Beginning …')}
          </p>
        )}
        {outcome?.kind === 'stopped' && <Stopped job={job} />}
        {outcome?.kind === 'failed' && <p>{outcome.error.message}</p>}
        {conclusion && (
          <p role="status">
            <Badge tone={conclusion.tone} title={conclusion.text}>
              {conclusion.title}
            </Badge>
          </p>
        )}
        {result?.properties
          .filter(({ verdict }) => verdict === 'violated')
          .map((finding) => (
            <Button
              key={finding.name}
              kind="quiet"
              title={say('Show how this is violated: {name}', { name: finding.name })}
              onClick={() => void openRun(job.setup, finding)}
            >
              {finding.name}
            </Button>
          ))}
      </div>
    </li>
  );
}
