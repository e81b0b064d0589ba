/** What is found in a module: problems and verdicts; of an exercise, its points. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { PageExercise, Part } from '../../course/judge.js';
import type { Problem } from '../../playground/trial.js';
import type { TrialFinding } from '../../playground/trial-tasks.js';
import { say } from '../../texts/say.js';
import { Conclusion, VerdictRow } from '../check/verdicts.js';
import { Badge, Button } from '../parts/controls.js';
import { Popover } from '../parts/floating.js';
import { attempt } from '../studio.js';
import type { DeskProps } from './desk.js';

/** What is known of the module: what is wrong in it, its charts, the verdicts. */
export function Findings({ desk }: DeskProps) {
  const { trial } = desk;
  const { value: loaded } = trial.loaded;
  return (
    <section class="playground-findings card" aria-label={say('Verdicts')}>
      <h2 class="unseen">{say('Verdicts')}</h2>
      <Judged desk={desk} />
      <Failure desk={desk} />
      <p class="unseen" role="status">
        {trial.running.value && say('Checking …')}
      </p>
      {trial.running.value && <div class="check-bar" aria-hidden="true" />}
      <div class={trial.problem.value ? 'former' : ''}>
        {loaded && <Verdicts desk={desk} />}
        <div class="playground-charts">
          {loaded?.charts.map(({ role, svg }) => (
            <figure key={role}>
              <figcaption class="faint">{role}</figcaption>
              <Picture svg={svg} alt={say('Statechart of {role}', { role })} />
            </figure>
          ))}
        </div>
      </div>
    </section>
  );
}

/** A picture from a worker in which anything may have run: as an image, which runs no script. */
const Picture = ({ svg, alt }: { readonly svg: string; readonly alt: string }) => (
  <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={alt} />
);

function Failure({ desk: { trial, line } }: DeskProps) {
  const { value: problem } = trial.problem;
  if (!problem) return null;
  return (
    <Failed problem={{ ...problem, line: line.value }}>
      {trial.loaded.value && <p class="note">{say('Below: what was found before this change.')}</p>}
    </Failed>
  );
}

function Verdicts({ desk }: DeskProps) {
  const { value: tried } = desk.trial.result;
  if (!tried) return null;
  const { tone, title, text, findings, assumptions } = tried;
  const guilty = findings.find((finding) => finding.tone === 'false' && finding.run);
  return (
    <>
      <Conclusion
        {...{ tone, title, text }}
        action={
          <Consent
            label={say('Open in the studio')}
            title={say('Move it by hand')}
            onAgree={() => desk.show()}
          />
        }
      >
        {assumptions.map((what) => (
          <p key={what} class="note">
            {what}
          </p>
        ))}
      </Conclusion>
      <ul>
        {findings.map((finding) => (
          <Row
            key={`${finding.kind} ${finding.name}`}
            {...{ desk, finding }}
            isOpen={finding === guilty}
          />
        ))}
      </ul>
    </>
  );
}

interface RowProps extends DeskProps {
  readonly finding: TrialFinding;
  readonly isOpen: boolean;
}

function Row({ desk, finding, isOpen }: RowProps) {
  const { name, run } = finding;
  return (
    <VerdictRow
      {...{ finding, run, isOpen }}
      picture={(title) => run?.svg && <Picture svg={run.svg} alt={title} />}
      action={
        <Consent
          label={say('Show')}
          title={say('{name}: show this run in the studio', { name })}
          onAgree={() => desk.show(finding)}
        />
      }
    />
  );
}

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
          {say('{goal} {minutes} minutes, {points} points.', { goal: say(goal), minutes, points })}
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

function Judged({ desk }: DeskProps) {
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
          <PartRow key={part.name} {...{ desk, part }} />
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
const Failed = ({ problem: { line, what, cure }, children }: FailedProps) => (
  <Conclusion
    role="alert"
    tone="false"
    title={`${line === undefined ? '' : say('Line {line}: ', { line })}${what}`}
    text={cure}
  >
    {children}
  </Conclusion>
);

function PartRow({ desk, part }: DeskProps & { readonly part: Part }) {
  const { name, passed, feedback, link } = part;
  return (
    <li class="verdict">
      <Badge tone={passed ? 'true' : 'false'}>{passed ? say('1 point') : say('no point')}</Badge>
      <div>
        <span>{name}</span>
        {feedback !== undefined && <pre>{feedback.replace(/^# .*\n/gm, '').trimEnd()}</pre>}
      </div>
      {link !== undefined && (
        <div class="verdict-actions flow small">
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

interface ConsentProps {
  readonly label: string;
  readonly title: string;
  readonly onAgree: () => Promise<void>;
}

/** Before a module runs in the page itself. */
const Consent = ({ label, title, onAgree }: ConsentProps) => (
  <Popover label={label} title={title}>
    {(close) => (
      <div class="consent stack">
        <p>
          {say(
            'There the module runs in this page, and no longer in a worker that is ended after a while: open only what you trust.',
          )}
        </p>
        <Button
          kind="primary"
          onClick={() => {
            close();
            void attempt(onAgree);
          }}
        >
          {say('I trust it: open')}
        </Button>
      </div>
    )}
  </Popover>
);
