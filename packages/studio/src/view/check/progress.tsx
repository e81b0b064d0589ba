import { duration, grouped } from '../../base/numbers.js';
import type { CheckProgress } from '../../model/check.js';
import { say } from '../../texts/say.js';
import type { Job } from '../../worker/job.js';
import { Badge } from '../parts/badge.js';
import { Button } from '../parts/button.js';
import { checkInput } from './options.js';

interface JobProps {
  readonly job: Job<'check'>;
}

/** How far a check is: said aloud at its beginning and end only. */
export function Progress({ job }: JobProps) {
  const { value: progress } = job.progress;
  return (
    <>
      <div
        class="check-bar"
        role="progressbar"
        aria-label={say('Checking')}
        aria-valuetext={
          progress ? say('{states} worlds', { states: grouped(progress.states) }) : say('beginning')
        }
      />
      <p class="check-hint numbers">{progress ? progressText(progress) : say('Beginning …')}</p>
      <Decided job={job} />
    </>
  );
}

/** What was known when the user stopped a check, and a way to know more of the same worlds. */
export function Stopped({ job }: JobProps) {
  const { value: progress } = job.progress;
  if (!progress)
    return <p class="check-hint faint">{say('Stopped at its beginning: nothing is known.')}</p>;
  const { states } = progress;
  return (
    <>
      <p class="check-hint faint">
        {say('Stopped after {progress}. All that is not listed is undecided.', {
          progress: progressText(progress),
        })}
      </p>
      <Decided job={job} />
      <p class="check-hint flow wraps">
        {job.paused.value && (
          <Button
            kind="primary"
            title={say('Goes on with the search where it was stopped')}
            onClick={() => job.goOn()}
          >
            {say('Go on')}
          </Button>
        )}
        <Button
          title={say(
            'Searches these worlds again, confirms their steps, and shows counterexamples and coverage',
          )}
          onClick={() => {
            const { limits, ...input } = checkInput.peek();
            job.start({ ...input, limits: { ...limits, states } });
          }}
        >
          {say('Judge the first {states} worlds', { states: grouped(states) })}
        </Button>
      </p>
    </>
  );
}

/** What the worlds that are found so far decide. */
function Decided({ job }: JobProps) {
  const { decided = [] } = job.progress.value ?? {};
  return (
    <ul>
      {decided.map(({ name, kind }) => (
        <li key={`${kind} ${name}`} class="verdict">
          <Badge tone={kind === 'sometimes' ? 'true' : 'false'}>
            {kind === 'sometimes' ? say('reached') : say('violated')}
          </Badge>
          <span>{name}</span>
        </li>
      ))}
    </ul>
  );
}

function progressText({ states, transitions, depth, seconds }: CheckProgress): string {
  const speed =
    seconds > 0.2
      ? say(', {states} worlds/s', { states: grouped(Math.round(states / seconds)) })
      : '';
  return say('{states} worlds, {transitions} transitions, depth {depth}, {seconds}{speed}', {
    states: grouped(states),
    transitions: grouped(transitions),
    depth,
    seconds: duration(seconds),
    speed,
  });
}
