import type { ComponentChildren } from 'preact';
import { type Finding, toneOf, verdictTexts } from '../../model/conclusion.js';
import { kindTexts } from '../../model/properties.js';
import { say } from '../../texts/say.js';
import { Badge } from '../parts/badge.js';

export interface VerdictRowProps {
  readonly finding: Pick<Finding, 'name' | 'kind' | 'verdict'>;
  /** Its counterexample or example, as text. */
  readonly run: { readonly length: string; readonly text: string } | undefined;
  readonly isOpen?: boolean;
  /** The run as a picture, below its text. */
  readonly picture?: (title: string) => ComponentChildren;
  /** What shows the run. */
  readonly action: ComponentChildren;
  /** What is to be said of the verdict. */
  readonly children?: ComponentChildren;
}

/** A property, its verdict, and the run that shows it. */
export function VerdictRow({ finding, run, isOpen = false, ...props }: VerdictRowProps) {
  const { name, kind, verdict } = finding;
  const tone = toneOf(verdict);
  const { length = '' } = run ?? {};
  const title =
    tone === 'false'
      ? say('Counterexample, {length}', { length })
      : say('Example, {length}', { length });
  return (
    <li class="verdict">
      <Badge tone={tone} title={say(verdictTexts[verdict])}>
        {say(verdict)}
      </Badge>
      <div>
        <span title={say(kindTexts[kind])}>{name}</span>
        {props.children}
        {run && (
          <details class="note" open={isOpen}>
            <summary>{title}</summary>
            <pre>{run.text}</pre>
            {props.picture?.(title)}
          </details>
        )}
      </div>
      {run && <div class="verdict-actions">{props.action}</div>}
    </li>
  );
}
