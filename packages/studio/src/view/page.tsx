/** The page: its header, the view that its address asks for, and the last error. */
import { ConclaveError } from '@conclave/core/protocol';
import { effect } from '@preact/signals';
import { type ComponentChildren, render } from 'preact';
import type { Link } from '../link/link.js';
import { say, sayLabels, type Text } from '../texts/say.js';
import { followAddress, shareable } from './address.js';
import { Catalogue } from './catalogue/catalogue.js';
import { addCatalogueLayouts } from './catalogue/data.js';
import { Specification } from './catalogue/specification.js';
import { Check } from './check/check.js';
import { keysShown } from './keys.js';
import { acceptDrops, Dropping, Own, readPageInput } from './own.js';
import { Button, Copy, Icon, type IconName } from './parts/controls.js';
import { assign } from './parts/dom.js';
import { Tabs } from './parts/panel.js';
import { Paths } from './paths.js';
import { Playground } from './playground/playground.js';
import {
  choose,
  followPreferences,
  language,
  nextTheme,
  type Theme,
  takeLanguage,
  theme,
  unpackTexts,
} from './preferences.js';
import { Present, Presented } from './present.js';
import {
  draft,
  frame,
  goal,
  loading,
  nextFrame,
  problem,
  type SessionProps,
  session,
  view,
} from './studio.js';
import { World } from './world.js';

/**
 * Starts the page. Texts come first, and protocols of the page before an address that names them.
 */
export async function page(): Promise<void> {
  followPreferences();
  takeLanguage(location.hash);
  await unpackTexts();
  const openInput = readPageInput();
  addCatalogueLayouts();
  followAddress();
  openInput();
  acceptDrops();
  effect(() => {
    const title = session.value?.system.protocol.title;
    document.title = title === undefined ? say('Conclave studio') : `${title} · Conclave`;
  });
  effect(() => {
    session.value?.id; // on a change, what had the focus is gone
    void nextFrame().then(focusHeading);
  });
  addEventListener('error', ({ error }) => showProblem(error));
  addEventListener('unhandledrejection', ({ reason }) => showProblem(reason));
  render(
    <>
      <App />
      <Dropping />
    </>,
    document.body,
  );
}

/** Where nothing has the focus, the heading does: so keys and screen readers go on from there. */
function focusHeading(): void {
  if (document.activeElement !== document.body) return;
  const heading = document.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
}

/** Shows an error for the user that no view has shown. */
function showProblem(error: unknown): void {
  if (error instanceof ConclaveError) problem.value = error;
}

export const App = () => (
  <>
    {!isFramed() && <Header />}
    <Alert />
    <Content />
    <p class="loading" role="status">
      {loading.value !== undefined && say('Opening {protocol} …', { protocol: loading.value })}
    </p>
  </>
);

/** Whether only a part of the world is shown. */
const isFramed = (): boolean =>
  session.value !== undefined && view.value === 'world' && frame.value.as !== undefined;

const pages: Readonly<Record<Link['view'], (props: SessionProps) => ComponentChildren>> = {
  world: World,
  specification: Specification,
  check: Check,
  paths: Paths,
};

function Content() {
  const { value: shown } = session;
  const Page = pages[view.value];
  if (shown && isFramed()) return <Presented key={shown.id} session={shown} />;
  if (draft.value) return <Playground />;
  // the views of a world hold on to signals of one session
  if (shown && Page === World) return <World key={shown.id} session={shown} />;
  return (
    <main key={language.value} class="page">
      {shown && <Page session={shown} />}
      {!shown && loading.value === undefined && (
        <>
          <Catalogue />
          <Own />
        </>
      )}
    </main>
  );
}

const views = [
  { id: 'world', label: 'World' },
  { id: 'specification', label: 'Specification' },
  { id: 'check', label: 'Check' },
  { id: 'paths', label: 'Paths' },
] as const;

/** The views that do not solve an exercise. */
const exerciseViews = views.filter(({ id }) => id === 'world' || id === 'specification');

const themes: Readonly<Record<Theme, { readonly icon: IconName; readonly words: Text }>> = {
  system: { icon: 'system', words: 'as the system' },
  light: { icon: 'sun', words: 'light' },
  dark: { icon: 'moon', words: 'dark' },
};

export function Header() {
  const protocol = session.value?.system.protocol;
  const [other, otherName] =
    language.value === 'de' ? (['en', 'English'] as const) : (['de', 'Deutsch'] as const);
  const [now, next] = [themes[theme.value], themes[nextTheme()]];
  return (
    <header class="top flow">
      <a class="home flow" href="#/" aria-label={say('Conclave: all protocols')}>
        <Mark />
        <span>Conclave</span>
      </a>
      {protocol && (
        <>
          <h1 class="ellipsis">
            {protocol.id !== undefined && <span class="faint">{protocol.id}</span>}
            {protocol.title}
          </h1>
          <Tabs
            label={say('Views of the protocol')}
            tabs={sayLabels(goal.value ? exerciseViews : views)}
            chosen={view}
          />
        </>
      )}
      <div class="top-tools flow end">
        {session.value && view.value === 'world' && <Present session={session.value} />}
        {protocol && (
          <Copy
            kind="quiet"
            icon="link"
            title={say(
              'Copy link: to what you see. Others open it, or paste it on the first page of a studio',
            )}
            text={() => shareable()}
          >
            {say('Copy link')}
          </Copy>
        )}
        {protocol && (
          <Button kind="quiet" title={say('Keys')} onClick={assign(keysShown, true)}>
            <kbd>?</kbd>
          </Button>
        )}
        <Button kind="quiet" title={otherName} onClick={() => choose(other)}>
          <small lang={other}>{other.toUpperCase()}</small>
        </Button>
        <Button
          icon={now.icon}
          title={say('Theme: {now}. Next: {next}', { now: say(now.words), next: say(next.words) })}
          onClick={assign(theme, nextTheme())}
        />
      </div>
    </header>
  );
}

/** A key, for cum clave; three nodes make its bow. */
const Mark = () => (
  <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <path d="M10 10v8M10 14h3.5M10 17.5h2.5" />
    <path d="M5 7.5 10 2.5l5 5z" />
    <circle cx="10" cy="2.8" r="2.1" />
    <circle cx="5" cy="7.8" r="2.1" />
    <circle cx="15" cy="7.8" r="2.1" />
  </svg>
);

/** The last error: what went wrong, where, what to try. */
export function Alert() {
  const { value: error } = problem;
  if (!error) return null;
  return (
    <div class="alert" role="alert">
      <Icon name="cross" />
      <div>
        <strong>{error.what}</strong>
        {error.cure && <p>{error.cure}</p>}
      </div>
      <Button icon="cross" title={say('Close this message')} onClick={assign(problem, undefined)} />
    </div>
  );
}
