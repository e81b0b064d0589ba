import { useComputed } from '@preact/signals';
import { linkText } from '../../link/link.js';
import { say, sayAny } from '../../texts/say.js';
import { Keyboard } from '../actions/keys.js';
import { Place } from '../frame/places.js';
import { Button } from '../parts/button.js';
import { Steps, usePlaying } from '../play/play.js';
import { playerOf } from '../play/players.js';
import { Rules, rulesIn } from '../rules/rules.js';
import { stationText } from '../script.js';
import { frame, linkTo, notes, type SessionProps } from '../studio.js';
import { leave } from './leave.js';
import { noteAt, usualPanels } from './notes.js';
import './present.css';

/** The chosen parts of the world, and a caption below them: on a wall, or within another page. */
export function Presented({ session }: SessionProps) {
  const { as, panels = usualPanels } = frame.value;
  usePlaying(playerOf(session));
  return (
    <main class={`presented stack ${as}`}>
      <Keyboard session={session} />
      <div class="views" style={`--columns: ${Math.ceil(Math.sqrt(panels.length))}`}>
        {panels.map((id) => (
          <Place key={id} id={id} session={session} />
        ))}
      </div>
      <footer class="caption flow">
        <Steps session={session} />
        <Said session={session} />
        {as === 'presentation' ? (
          <Button
            kind="quiet"
            icon="cross"
            title={say('Leave the presentation (Esc)')}
            onClick={leave}
          />
        ) : (
          <a class="small" href={wholeStudio()} target="_blank" rel="noopener">
            {say('Open in the studio')}
          </a>
        )}
      </footer>
    </main>
  );
}

/** The note on what is shown, and the rules of its step. */
function Said({ session }: SessionProps) {
  const { depth, step } = session.now.value;
  const last = useComputed(() => session.path.value.length - 1).value;
  const note = noteAt(notes.value, depth);
  const place = stationText();
  return (
    <div class="said" role="status">
      <h1 class={place === undefined ? 'unseen' : 'faint'}>
        {[place, session.system.protocol.title].filter(Boolean).join(' ')}
      </h1>
      {note !== undefined && <p class="note-text">{sayAny(note)}</p>}
      <Rules rules={step ? rulesIn(session)(step) : []} />
      <span class="unseen">{say('Step {depth} of {last}', { depth, last })}</span>
    </div>
  );
}

/** The same world, without a frame. */
function wholeStudio(): string {
  const link = linkTo();
  if (!link) return '#';
  const { as: _, panels: __, script: ___, ...whole } = link;
  return `#${linkText(whole)}`;
}
