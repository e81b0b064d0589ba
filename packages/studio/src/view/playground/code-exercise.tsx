import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Part } from '../../course/code-exercise.js';
import type { PageExercise } from '../../course/page-exercise.js';
import type { Problem } from '../../playground/problem.js';
import { say } from '../../texts/say.js';
import { Conclusion } from '../check/conclusion.js';
import { Badge } from '../parts/badge.js';
import { Button } from '../parts/button.js';
import { Consent } from './consent.js';
import type { DeskProps } from './desk.js';

/** An exercise in code: its goal, and hints one by one. */
export function CodeExercise({ desk }: DeskProps) {
  const { value: exercise } = desk.exercise;
  if (!exercise) return null;
  const { number, goal, minutes, points } = exercise;
  const { running } = desk.judging;
  return (
    <section class="playground-exercise card stack" aria-label={say('Exercise')}>
      <div class="flow">
        <p>
          <strong>{number}</strong>{' '}
          {say('{goal} {minutes} minutes, {points} points.', {
            goal: say(goal),
            minutes,
            points,
          })}
        </p>
        <Button
          kind="primary"
          title={say('As conclave grade does it, on systems that are hidden')}
          inactive={running.value}
          onClick={() => desk.judge()}
        >
          {say('Judge')}
        </Button>
      </div>
      <Hints key={exercise.name} hints={exercise.hints} />
    </section>
  );
}

function Hints({ hints }: Pick<PageExercise, 'hints'>) {
  const shown = useSignal(0);
  return (
    <>
      {shown.value > 0 && (
        <ol class="hints" aria-live="polite">
          {hints.slice(0, shown.value).map((hint) => (
            <li key={hint}>{say(hint)}</li>
          ))}
        </ol>
      )}
      {shown.value < hints.length && (
        <p>
          <Button
            kind="quiet"
            onClick={() => {
              shown.value++;
            }}
          >
            {say('Hint {number} of {all}', { number: shown.value + 1, all: hints.length })}
          </Button>
        </p>
      )}
    </>
  );
}

/** The points for what was written. */
export function Judged({ desk }: DeskProps) {
  const { running, parts, problem } = desk.judging;
  const { value: known = [] } = parts;
  const points = known.filter(({ passed }) => passed).length;
  return (
    <>
      <p class="unseen" role="status">
        {running.value && say('Judging …')}
      </p>
      {running.value && <div class="check-bar" aria-hidden="true" />}
      {problem.value && <Failed problem={problem.value} />}
      {parts.value && (
        <Conclusion
          tone={points === known.length ? 'true' : 'false'}
          title={say('{points} of {of} points', { points, of: known.length })}
          text={say('The verdicts of what is written are below.')}
        />
      )}
      <ul class="judged">
        {known.map((part) => (
          <Row key={part.name} {...{ desk, part }} />
        ))}
      </ul>
    </>
  );
}

interface FailedProps {
  readonly problem: Problem;
  readonly children?: ComponentChildren;
}

/** What is wrong with what was written, and in which line. */
export const Failed = ({ problem: { line, what, cure }, children }: FailedProps) => (
  <Conclusion
    role="alert"
    tone="false"
    title={`${line === undefined ? '' : say('Line {line}: ', { line })}${what}`}
    text={cure}
  >
    {children}
  </Conclusion>
);

function Row({ desk, part }: DeskProps & { readonly part: Part }) {
  const { name, passed, feedback, link } = part;
  return (
    <li class="verdict">
      <Badge tone={passed ? 'true' : 'false'}>{passed ? say('1 point') : say('no point')}</Badge>
      <div>
        <span>{name}</span>
        {feedback !== undefined && <pre>{feedback.replace(/^# .*\n/gm, '').trimEnd()}</pre>}
      </div>
      {link !== undefined && (
        <div class="verdict-actions">
          <Consent
            label={say('Show')}
            title={say('{name}: show this run in the studio', { name })}
            onAgree={() => desk.showLink(link)}
          />
        </div>
      )}
    </li>
  );
}
