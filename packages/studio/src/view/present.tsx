/**
 * A presentation of a run. First the form that makes one, an exercise or a frame for another page of
 * it; then what is shown on the wall; then what the speaker sees in a window of their own.
 */
import { signal, useComputed, useSignal } from '@preact/signals';
import { render } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { badInput } from '../base/input.js';
import { linkText, panels } from '../link/link.js';
import { wordsOf } from '../model/words.js';
import { language, say, sayAny } from '../texts/say.js';
import { shareable } from './address.js';
import { jobsOf } from './jobs.js';
import { act, Keyboard } from './keys.js';
import { Button, Copy, Field, InputField, SelectField } from './parts/controls.js';
import { Popover } from './parts/floating.js';
import { Quarters } from './parts/panel.js';
import { playerOf, Steps, usePlaying } from './play.js';
import {
  blank,
  leave,
  noteAt,
  type Panel,
  stationText,
  usualPanels,
  withNote,
} from './presentation.js';
import { Rules, rulesIn } from './rules.js';
import {
  attempt,
  type Frame,
  frame,
  linkTo,
  notes,
  session as running,
  type SessionProps,
} from './studio.js';
import { labels, Place } from './world.js';

/** Shows the run on a wall, or gives what another page needs to show it. */
export const Present = ({ session }: SessionProps) => (
  <Popover label={say('Present')} title={say('Present or embed this run')} kind="quiet">
    {(close) => <Form session={session} onDone={close} />}
  </Popover>
);

function Form({ session, onDone }: SessionProps & { readonly onDone: () => void }) {
  const { panels: chosen = usualPanels } = frame.value;
  const { depth } = session.now.value;
  const choose = (panel: Panel, isChosen: boolean) => {
    const next = panels.filter((one) => (one === panel ? isChosen : chosen.includes(one)));
    if (next.length > 0) frame.value = { ...frame.value, panels: next };
  };
  return (
    <div class="present-form stack">
      <fieldset class="pair">
        <legend>{say('Panels')}</legend>
        {panels.map((panel) => (
          <label key={panel} class="flow">
            <input
              type="checkbox"
              checked={chosen.includes(panel)}
              onChange={({ currentTarget }) => choose(panel, currentTarget.checked)}
            />
            {say(labels[panel])}
          </label>
        ))}
      </fieldset>
      <label class="flow">
        <input
          type="checkbox"
          checked={frame.value.ahead === true}
          onChange={({ currentTarget: { checked } }) => {
            const { ahead: _, ...others } = frame.value;
            frame.value = checked ? { ...others, ahead: true } : others;
          }}
        />
        {say('Show the steps that come')}
      </label>
      <Field
        label={depth === 0 ? say('Note on the beginning') : say('Note on step {depth}', { depth })}
        hint={say('It is shown from here on, until the next one. All is kept in the link.')}
      >
        {(control) => (
          <textarea
            {...control}
            rows={3}
            value={sayAny(notes.value[depth] ?? '')}
            onInput={({ currentTarget }) => {
              notes.value = withNote(notes.value, depth, currentTarget.value);
            }}
          />
        )}
      </Field>
      <ExerciseLink session={session} />
      <Copies session={session} onPresent={onDone} />
    </div>
  );
}

function Copies({ session, onPresent }: SessionProps & { readonly onPresent: () => void }) {
  const { panels = usualPanels, ahead } = frame.value;
  return (
    <div class="flow wraps">
      <Button
        kind="primary"
        title={say("In large type: → and ← or a presenter's remote step, Esc leaves")}
        onClick={() => {
          onPresent();
          present({ ...frame.value, as: 'presentation' });
        }}
      >
        {say('Present')}
      </Button>
      <Button
        title={say('What you say, and what comes, in a window that the hall does not see')}
        onClick={() => void attempt(openSpeakerNotes)}
      >
        {say('Notes of the speaker')}
      </Button>
      <Copy
        title={say('Copy link: opens as a presentation')}
        text={() => shareable({ as: 'presentation', panels, ...(ahead && { ahead }) })}
      >
        {say('Copy link')}
      </Copy>
      <Copy
        title={say('Copy iframe: for another page, from 480 × 320 on')}
        text={() => iframe(session, shareable({ as: 'embed', panels }))}
      >
        {say('Copy iframe')}
      </Copy>
    </div>
  );
}

/** An exercise: to violate one of the properties that a check has seen violated in so few steps. */
function ExerciseLink({ session }: SessionProps) {
  const { check } = jobsOf(session.system.setup);
  const within = useSignal(8);
  const chosen = useSignal('');
  const { value: outcome } = check.outcome;
  const found = outcome?.kind === 'answered' ? outcome.result.properties : [];
  const names = found.flatMap(({ name, verdict, steps, loopsFromStep }) =>
    verdict === 'violated' && loopsFromStep === undefined && steps && steps.length <= within.value
      ? [name]
      : [],
  );
  const property = names.find((name) => name === chosen.value) ?? names[0];
  return (
    <details
      class="exercise-link"
      onToggle={({ currentTarget: { open } }) => {
        if (open && !outcome && !check.running.value)
          check.start({ limits: { states: 300_000, seconds: 20 } });
      }}
    >
      <summary>{say('Exercise')}</summary>
      <div class="stack">
        {property === undefined ? (
          <p role="status">
            {check.running.value
              ? say('Checking what can be violated …')
              : say('No property is violated here in so few steps. Allow a loss or a crash.')}
          </p>
        ) : (
          <SelectField
            label={say('Violate')}
            value={property}
            options={names.map((name) => [name, sayAny(name)])}
            onChoose={(name) => {
              chosen.value = name;
            }}
          />
        )}
        <InputField
          label={say('in at most so many steps')}
          type="number"
          min={1}
          value={within.value}
          onInput={({ currentTarget }) => {
            within.value = Number(currentTarget.value);
          }}
        />
        {property !== undefined && (
          <Copy
            title={say('Copy exercise: this system from its beginning, with this goal')}
            text={() => shareable({ steps: [], at: 0, goal: { property, within: within.value } })}
          >
            {say('Copy exercise')}
          </Copy>
        )}
        <Copy
          title={say(
            'Copy prediction: the reader says what each step of this run does, before it is shown',
          )}
          text={() => shareable({ steps: [], at: 0, predict: session.link().steps })}
        >
          {say('Copy prediction')}
        </Copy>
      </div>
    </details>
  );
}

/** On the whole screen, where the browser lets it. */
function present(next: Frame): void {
  frame.value = next;
  document.documentElement.requestFullscreen?.().catch(() => {});
}

const iframe = ({ system: { protocol } }: SessionProps['session'], link: string): string => {
  const source = link.startsWith('#') ? `studio.html${link}` : link;
  const [src, title] = [source, protocol.title].map((text) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  );
  return `<iframe src="${src}" title="${title}" width="800" height="480" loading="lazy"></iframe>`;
};

/** A hundredth of the height of a screen in landscape, also where it is in portrait. */
const hundredth = () => Math.min(innerHeight, innerWidth * 0.6) / 100;
const unit = signal(hundredth());
addEventListener('resize', () => {
  unit.value = hundredth();
});
/** The names of nodes, which are 11 px high, become a part of that height. */
const zoomOf = (unit: number) => Math.max(1, (unit * 3.2) / 11);

/** The chosen parts of the world, and a caption below them: on a wall, or within another page. */
export function Presented({ session }: SessionProps) {
  const { as, panels = usualPanels } = frame.value;
  usePlaying(playerOf(session));
  const places = panels.map((id) => <Place key={id} id={id} session={session} />);
  return (
    <main
      class={`presented stack ${as}`}
      style={`--zoom: ${zoomOf(unit.value)}; --unit: ${unit.value}px`}
    >
      <Keyboard session={session} />
      {blank.value && <div class="blank" />}
      {panels.length > 4 ? (
        <div class="views" style={`--columns: ${Math.ceil(Math.sqrt(panels.length))}`}>
          {places}
        </div>
      ) : (
        <Quarters name="presented" parts={places} />
      )}
      <footer class="caption flow">
        <Steps session={session} />
        <Said key={unit.value} session={session} />
        {as === 'presentation' ? (
          <>
            <Button
              icon="system"
              title={say('Notes of the speaker')}
              onClick={() => void attempt(openSpeakerNotes)}
            />
            <Button icon="cross" title={say('Leave the presentation (Esc)')} onClick={leave} />
          </>
        ) : (
          <a class="small" href={wholeStudio()} target="_blank" rel="noopener">
            {say('Open in the studio')}
          </a>
        )}
      </footer>
    </main>
  );
}

/** What the one who speaks sees in a window of their own: the note, and what comes. */
function SpeakerNotes() {
  const { value: shown } = running;
  if (!shown) return null;
  const { depth, world, step } = shown.now.value;
  const { value: path } = shown.path;
  const next = path[depth + 1]?.step;
  const place = say('Step {depth} of {last}', { depth, last: path.length - 1 });
  return (
    <main class="speaker stack">
      <p class="faint">
        {[stationText(), shown.system.protocol.title, place].filter(Boolean).join(' · ')}
      </p>
      <p class="note-text">{sayAny(noteAt(notes.value, depth) ?? '')}</p>
      <p>{happened(shown)}</p>
      <Rules rules={step ? rulesIn(shown)(step) : []} />
      <h1>{say('What happens next?')}</h1>
      <p>
        {next
          ? say('Next: {what}.', { what: wordsOf(shown.system, world, next.action) })
          : say('The run ends here.')}
      </p>
      <p class="faint">{sayAny(notes.value[depth + 1] ?? '')}</p>
      <div class="flow">
        <Steps session={shown} />
      </div>
    </main>
  );
}

/** Opens the notes of the speaker in a second window, whose keys move the presentation, too. */
export function openSpeakerNotes(): void {
  const opened = window.open('', 'conclave-speaker', 'popup,width=640,height=560');
  if (!opened) throw badInput(say('The browser refused a second window'), say('Allow it there.'));
  const { document: page } = opened;
  page.title = say('Notes of the speaker');
  page.documentElement.lang = language();
  page.documentElement.style.colorScheme = document.documentElement.style.colorScheme;
  const styles = document.querySelectorAll('style');
  page.head.replaceChildren(...[...styles].map((style) => style.cloneNode(true)));
  render(<SpeakerNotes />, page.body);
  page.onkeydown = (event) => {
    const { value: shown } = running;
    const isMove = /^(Page|Arrow(Left|Right)|Home|End|[bB.]$)/.test(event.key);
    if (shown && isMove && act(shown, event.key)) event.preventDefault();
  };
  addEventListener('pagehide', () => opened.close());
}

/** What has happened by the step that is shown, in words. */
const happened = ({ system, now }: SessionProps['session']): string | undefined => {
  const { step } = now.value;
  return step && wordsOf(system, step.from.world, step.action);
};

/**
 * The note on what is shown, what happened, and the rules of the step. In a presentation it never
 * shrinks, so that the pictures above it stay where they are.
 */
function Said({ session }: SessionProps) {
  const { depth, step } = session.now.value;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!box.current || frame.value.as !== 'presentation') return;
    box.current.style.minHeight = `${box.current.offsetHeight}px`;
  });
  const last = useComputed(() => session.path.value.length - 1).value;
  const note = noteAt(notes.value, depth);
  const place = stationText();
  return (
    <div class="said" role="status" ref={box}>
      <h1 class={place === undefined ? 'unseen' : 'faint'}>
        {[place, session.system.protocol.title].filter(Boolean).join(' ')}
      </h1>
      {note !== undefined && <p class="note-text">{sayAny(note)}</p>}
      <p class="happened">{happened(session)}</p>
      <Rules rules={step ? rulesIn(session)(step) : []} />
      <span class="unseen">{say('Step {depth} of {last}', { depth, last })}</span>
    </div>
  );
}

function wholeStudio(): string {
  const link = linkTo();
  if (!link) return '#';
  const { as: _, panels: __, script: ___, ...whole } = link;
  return `#${linkText(whole)}`;
}
