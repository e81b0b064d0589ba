import { useEffect, useMemo } from 'preact/hooks';
import { budgetTexts } from '../../model/budget-text.js';
import type { PathsProgress } from '../../model/paths.js';
import type { Session } from '../../model/session.js';
import { askingOf } from '../check/checks.js';
import { Button } from '../parts/button.js';
import { Tabs } from '../parts/tabs.js';
import { choiceOf } from './choice.js';
import { List } from './list.js';
import './paths.css';

const kinds = [
  { id: 'shortest', label: 'Shortest paths' },
  { id: 'simple', label: 'Simple paths' },
] as const;

const meanings = {
  shortest:
    'To each world one of the shortest paths. Those that are the beginning of another one are left out.',
  simple:
    'To each world every path that visits no world twice. Those that are the beginning of another one are left out.',
};

/** The paths that model tests generate, and the transitions of the statechart that they take. */
export function Paths({ session }: { readonly session: Session }) {
  const { setup, topology } = session.system;
  const asking = useMemo(() => askingOf('paths', setup), [session]);
  const choice = choiceOf(asking);
  const { value: kind } = choice.kind;
  useEffect(() => {
    if (choice.asked === kind) return;
    choice.asked = kind;
    asking.start({ kind });
  }, [asking, kind]);
  const { value: outcome } = asking.outcome;
  return (
    <div class="paths">
      <header class="paths-head">
        <div>
          <h2>Paths of {topology.spec}</h2>
          <p>{budgetTexts(session.system).join('; ')}</p>
        </div>
        <Tabs label="Which paths" tabs={kinds} chosen={kind} onChoose={(id) => choice.choose(id)} />
        {asking.running.value ? (
          <Button onClick={() => asking.stop()}>Stop</Button>
        ) : (
          outcome?.kind !== 'answered' && (
            <Button kind="primary" onClick={() => asking.start({ kind })}>
              Generate
            </Button>
          )
        )}
      </header>
      <p class="paths-meaning">
        The paths that model tests generate. {meanings[kind]} A click plays a path.
      </p>
      {asking.running.value && <Progress progress={asking.progress.value} />}
      {outcome?.kind === 'stopped' && <p class="paths-hint">Stopped; no path is known.</p>}
      {outcome?.kind === 'failed' && <p class="paths-hint failed">{outcome.error.message}</p>}
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
      ? `${worlds.toLocaleString('en-US')} worlds`
      : `${paths.toLocaleString('en-US')} paths`;
  return (
    <p class="paths-hint" role="progressbar" aria-label="Generating paths" aria-valuetext={found}>
      {worlds === 0 ? 'Generating …' : `Generating: ${found} so far`}
    </p>
  );
}
