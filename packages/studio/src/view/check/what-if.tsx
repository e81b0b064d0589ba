import { useMemo } from 'preact/hooks';
import { conclusionOf } from '../../model/conclusion.js';
import type { Session } from '../../model/session.js';
import { type WhatIf, whatIfs } from '../../model/what-if.js';
import { Badge } from '../parts/badge.js';
import { Button } from '../parts/button.js';
import { askingOf } from './checks.js';
import { grouped } from './numbers.js';
import { openRun } from './open-run.js';
import { checkInput } from './options.js';

/**
 * What an assumption is for is learnt by breaking it: each change is checked by one click, and its
 * shortest counterexample shown by another.
 */
export function WhatIfs({ session }: { readonly session: Session }) {
  const rows = useMemo(() => whatIfs(session.system), [session]);
  return (
    <section class="what-ifs" aria-labelledby="what-if">
      <h3 id="what-if" class="what-ifs-title">
        What if …
      </h3>
      <ul>
        {rows.map((row) => (
          <Row key={row.text} session={session} whatIf={row} />
        ))}
      </ul>
    </section>
  );
}

function Row({
  session,
  whatIf: { text, change, breaks },
}: {
  readonly session: Session;
  readonly whatIf: WhatIf;
}) {
  const { setup: own, protocol } = session.system;
  const asking = useMemo(
    () => askingOf('check', { ...own, budget: { ...own.budget, ...change } }),
    [session, text],
  );
  const { value: running } = asking.running;
  const { value: outcome } = asking.outcome;
  const { value: progress } = asking.progress;
  const conclusion = outcome?.kind === 'answered' ? conclusionOf(outcome.result) : undefined;
  const violated =
    outcome?.kind === 'answered'
      ? outcome.result.properties.filter(({ verdict }) => verdict === 'violated')
      : [];
  return (
    <li>
      <div class="what-if-head">
        <p>
          {text}?
          {breaks !== undefined && <small>{`${protocol.title} assumes that ${breaks}.`}</small>}
        </p>
        {running ? (
          <Button title={`What if ${text}: stop`} onClick={() => asking.stop()}>
            Stop
          </Button>
        ) : (
          <Button title={`What if ${text}: check`} onClick={() => asking.start(checkInput.value)}>
            {outcome ? 'Again' : 'Check'}
          </Button>
        )}
      </div>
      <div class="what-if-found">
        {running && <p>{progress ? `${grouped(progress.states)} worlds …` : 'Beginning …'}</p>}
        {outcome?.kind === 'stopped' && <p>Stopped: nothing is known.</p>}
        {outcome?.kind === 'failed' && <p>{outcome.error.message}</p>}
        {conclusion && (
          <p role="status">
            <Badge tone={conclusion.tone} title={conclusion.text}>
              {conclusion.title}
            </Badge>
          </p>
        )}
        {violated.map((finding) => (
          <Button
            key={finding.name}
            kind="quiet"
            title={`Show how this is violated: ${finding.name}`}
            onClick={() => void openRun(asking.setup, finding, 'end')}
          >
            {finding.name}
          </Button>
        ))}
      </div>
    </li>
  );
}
