import { say, sayLabels, type Text } from '../../texts/say.js';
import { keysShown } from '../actions/keys.js';
import { shareable } from '../address.js';
import { choose, language } from '../language.js';
import { Button, Copy, Icon, type IconName } from '../parts/button.js';
import { assign } from '../parts/dom.js';
import { Tabs } from '../parts/panel.js';
import { Present } from '../present/present.js';
import { goal, problem, session, view } from '../studio.js';
import { nextTheme, type Theme, theme } from './theme.js';

const views = [
  { id: 'world', label: 'World' },
  { id: 'specification', label: 'Specification' },
  { id: 'check', label: 'Check' },
  { id: 'paths', label: 'Paths' },
] as const;

/** Without those that would solve an exercise. */
const reading = views.filter(({ id }) => id === 'world' || id === 'specification');

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
            tabs={sayLabels(goal.value ? reading : views)}
            chosen={view}
          />
        </>
      )}
      <div class="top-tools flow">
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
          kind="quiet"
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

/** What went wrong: what, where, what to try. */
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
      <Button
        kind="quiet"
        icon="cross"
        title={say('Close this message')}
        onClick={assign(problem, undefined)}
      />
    </div>
  );
}
