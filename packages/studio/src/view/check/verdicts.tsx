import { Fragment } from 'preact';
import { duration, grouped } from '../../base/numbers.js';
import type { Setup } from '../../link/setup.js';
import type { Checked } from '../../model/check.js';
import {
  conclusionOf,
  type Finding,
  growthText,
  lengthText,
  runText,
  toneOf,
  verdictTexts,
} from '../../model/conclusion.js';
import { kindTexts } from '../../model/properties.js';
import { Badge, toneIcons } from '../parts/badge.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { Coverage } from './coverage.js';
import { openRun } from './open-run.js';

interface ResultProps {
  readonly setup: Setup;
  readonly checked: Checked;
}

/**
 * What a check found: the conclusion, each property, what it assumes, and how much was looked at.
 */
export function Verdicts({ setup, checked }: ResultProps) {
  const { tone, title, text } = conclusionOf(checked);
  const growth = growthText(checked);
  return (
    <>
      <div class={`conclusion ${tone}`}>
        <Icon name={toneIcons[tone]} />
        <div>
          <h3>{title}</h3>
          <p>{text}</p>
          {growth !== undefined && <p>{growth}</p>}
        </div>
      </div>
      <ul>
        {worstFirst(checked.properties).map((finding) => (
          <Row key={`${finding.kind} ${finding.name}`} setup={setup} finding={finding} />
        ))}
        {checked.leftOut.map((name) => (
          <li key={name} class="verdict">
            <Badge>left out</Badge>
            <span>{name}</span>
          </li>
        ))}
      </ul>
      <Notes checked={checked} />
      <Coverage checked={checked} />
    </>
  );
}

const worst = ['false', 'undecided', 'true'] as const;

const worstFirst = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted(
    (one, other) => worst.indexOf(toneOf(one.verdict)) - worst.indexOf(toneOf(other.verdict)),
  );

function Row({ setup, finding }: { readonly setup: Setup; readonly finding: Finding }) {
  const { name, kind, verdict, vacuous, remark, steps, trace, clocksApart } = finding;
  const tone = toneOf(verdict);
  const what = tone === 'false' ? 'Counterexample' : 'Example';
  return (
    <li class="verdict">
      <Badge tone={tone} title={verdictTexts[verdict]}>
        {verdict}
      </Badge>
      <div>
        <span title={kindTexts[kind]}>{name}</span>
        {vacuous !== undefined && <p class="note">It never applies here: {vacuous}.</p>}
        {remark !== undefined && <p class="note">It could not fail here: {remark}.</p>}
        {clocksApart && (
          <p class="note">
            The timers of {clocksApart.join(', ')} drift apart here, as those of one clock cannot:
            perhaps no real run is like this.
          </p>
        )}
        {trace && steps && (
          <details class="note">
            <summary>
              {what}, {lengthText(finding)}
            </summary>
            <pre>{runText(finding)}</pre>
          </details>
        )}
      </div>
      {trace && steps && (
        <div class="verdict-actions">
          <Button
            title={`${name}: show the ${what.toLowerCase()}, from its first step on`}
            onClick={() => void openRun(setup, finding)}
          >
            Show
          </Button>
        </div>
      )}
    </li>
  );
}

const fairnessTexts = {
  none: 'None: every infinite run counts.',
  weak: 'Weak: what stays possible eventually happens.',
  strong: 'Strong: what is possible again and again eventually happens.',
} as const;

/** What the verdicts rest on. */
function Notes({ checked }: { readonly checked: Checked }) {
  const { states, transitions, depth, width, seconds, assumptions, input } = checked;
  const { fairness, reduce, search, limits } = input;
  const order = search === 'depth' ? 'depth-first: runs need not be shortest' : 'breadth-first';
  const reduction = reduce === 'all' ? 'symmetry and order' : reduce;
  const notes = {
    Found: `${grouped(states)} worlds, ${grouped(transitions)} transitions, depth ${depth}, width ${grouped(width)}`,
    Time: `${duration(seconds)}, ${grouped(Math.round(states / Math.max(seconds, 0.001)))} worlds/s`,
    Steps: stepsText(checked),
    Assumed:
      assumptions.length === 0
        ? 'Nothing beyond the network and its budget.'
        : assumptions.map((what) => <p key={what}>{what}</p>),
    Fairness: fairnessTexts[fairness],
    ...((reduce !== 'none' || search !== 'breadth') && {
      Search: reduce === 'none' ? order : `${order}; reduced by ${reduction}`,
    }),
    Limits: limitsText(limits),
  };
  return (
    <dl class="check-notes small">
      {Object.entries(notes).map(([title, text]) => (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function stepsText({ steps: { distinct, confirmed, uncompiled = {} } }: Checked): string {
  const some = confirmed === 0 ? 'none' : `${grouped(confirmed)} of them`;
  return [
    `${grouped(distinct)} distinct local steps, ${confirmed === distinct ? 'all' : some} confirmed by XState`,
    ...Object.entries(uncompiled).map(
      ([role, why]) => `${role} is not compiled, which is slower: its machine ${why}`,
    ),
  ].join('; ');
}

const limitsText = ({ states, memory, seconds }: Checked['input']['limits']): string =>
  [
    ...(memory === undefined ? [] : [`${grouped(memory)} MB for worlds and edges`]),
    ...(states === undefined ? [] : [`${grouped(states)} worlds`]),
    ...(seconds === undefined ? [] : [duration(seconds)]),
  ].join(', ');
