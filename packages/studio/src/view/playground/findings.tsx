import type { TriedFinding } from '../../playground/tried.js';
import { say } from '../../texts/say.js';
import { Conclusion } from '../check/conclusion.js';
import { VerdictRow } from '../check/verdict-row.js';
import { Failed, Judged } from './code-exercise.js';
import { Consent } from './consent.js';
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
      {loaded && <Verdicts desk={desk} />}
      <div class="playground-charts">
        {loaded?.charts.map(({ role, svg }) => (
          <figure key={role}>
            <figcaption class="faint">{role}</figcaption>
            <Picture svg={svg} alt={say('Statechart of {role}', { role })} />
          </figure>
        ))}
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
  const { value: tried } = desk.trial.tried;
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
  readonly finding: TriedFinding;
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
