import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { budgetTexts } from '../../model/budget-text.js';
import type { Session } from '../../model/session.js';
import type { Asking } from '../../worker/asking.js';
import { Button } from '../parts/button.js';
import { Tabs } from '../parts/tabs.js';
import { askingOf } from './checks.js';
import { checkInput, Options } from './options.js';
import { Progress, progressText } from './progress.js';
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
export function Check({ session }: { readonly session: Session }) {
  const { setup } = session.system;
  const asking = useMemo(() => askingOf('check', setup), [session]);
  const { value: running } = asking.running;
  return (
    <div class="check">
      <header class="check-head">
        <div>
          <h2>Every interleaving of {session.system.topology.spec}</h2>
          <p>{budgetTexts(session.system).join('; ')}</p>
        </div>
        <Tabs
          label="What to look at"
          tabs={tabs}
          chosen={tab.value}
          onChoose={(id) => {
            tab.value = id;
          }}
        />
        <Options session={session} />
        {running ? (
          <Button onClick={() => asking.stop()}>Stop</Button>
        ) : (
          <Button kind="primary" onClick={() => asking.start(checkInput.value)}>
            {asking.outcome.value ? 'Check again' : 'Check'}
          </Button>
        )}
      </header>
      {tab.value === 'graph' ? (
        <StateGraphView session={session} />
      ) : (
        <div class="check-columns">
          <section class="check-result" aria-label="Verdicts">
            <Result asking={asking} />
          </section>
          <WhatIfs session={session} />
        </div>
      )}
    </div>
  );
}

function Result({ asking }: { readonly asking: Asking<'check'> }) {
  const { value: outcome } = asking.outcome;
  const { value: progress } = asking.progress;
  if (asking.running.value) return <Progress asking={asking} />;
  if (!outcome)
    return (
      <p class="check-hint">
        The explorer takes every action in every order, in this page, and judges each property.
        Press Check, or ask what happens if an assumption is broken.
      </p>
    );
  if (outcome.kind === 'stopped')
    return (
      <p class="check-hint">
        Stopped{progress && ` after ${progressText(progress)}`}. Nothing is known of any property.
      </p>
    );
  if (outcome.kind === 'failed') return <p class="check-hint failed">{outcome.error.message}</p>;
  return <Verdicts setup={asking.setup} checked={outcome.result} />;
}
