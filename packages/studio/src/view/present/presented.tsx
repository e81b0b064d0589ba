import { useComputed } from '@preact/signals';
import { Keyboard } from '../actions/keys.js';
import { Place } from '../frame/places.js';
import { Button } from '../parts/button.js';
import { Toggle, usePlaying } from '../play/play.js';
import { playerOf } from '../play/players.js';
import { Rules, rulesIn } from '../rules/rules.js';
import { frame, linkTo, notes, type SessionProps } from '../studio.js';
import { leave } from './leave.js';
import './present.css';
import { linkText } from '../../link/link.js';
import { noteAt, usualPanels } from './notes.js';

/** The chosen parts of the world, and a caption below them: on a wall, or within another page. */
export function Presented({ session }: SessionProps) {
  const { as, panels = usualPanels } = frame.value;
  const player = playerOf(session);
  usePlaying(player);
  return (
    <main class={`presented stack ${as}`}>
      <Keyboard session={session} />
      <div class="views" style={`--columns: ${Math.ceil(Math.sqrt(panels.length))}`}>
        {panels.map((id) => (
          <Place key={id} id={id} session={session} />
        ))}
      </div>
      <footer class="caption flow">
        <Button
          kind="quiet"
          icon="back"
          title="One step back (←)"
          inactive={!session.now.value.step}
          onClick={() => session.back()}
        />
        <Toggle player={player} />
        <Button
          kind="quiet"
          icon="forward"
          title="One step forward (→)"
          inactive={session.now.value === session.tip.value && !session.loop.value}
          onClick={() => session.forward()}
        />
        <Said session={session} />
        {as === 'presentation' ? (
          <Button kind="quiet" icon="cross" title="Leave the presentation (Esc)" onClick={leave} />
        ) : (
          <a class="small" href={wholeStudio()} target="_blank" rel="noopener">
            Open in the studio
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
  return (
    <div class="said" role="status">
      {note !== undefined && <p class="note-text">{note}</p>}
      <Rules rules={step ? rulesIn(session)(step) : []} />
      <span class="unseen">{`Step ${depth} of ${last}`}</span>
    </div>
  );
}

/** The same world, without a frame. */
function wholeStudio(): string {
  const link = linkTo();
  if (!link) return '#';
  const { as: _, panels: __, ...whole } = link;
  return `#${linkText(whole)}`;
}
