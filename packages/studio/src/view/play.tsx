/** The panel that plays a run or a simulation, its settings, and the players of sessions. */
import { faults } from '@conclave/core/internal';
import type { ChannelFaults } from '@conclave/core/protocol';
import { effect, type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { memo } from '../base/collections.js';
import { type PlaySettings, simulatedLink, usualSettings } from '../model/play.js';
import { Player, speeds } from '../model/player.js';
import type { Session } from '../model/session.js';
import { capital } from '../model/words.js';
import { say } from '../texts/say.js';
import { Button, type InputEvent, InputField, Select, SelectField } from './parts/controls.js';
import { Popover } from './parts/floating.js';
import { canGoBack, canGoOn, goBack, goOn } from './presentation.js';
import { attempt, nextFrame, open, type SessionProps, session as shown } from './studio.js';

/** Plays the branch that is shown, a simulation, or random steps. */
export function Play({ session }: SessionProps) {
  const player = playerOf(session);
  usePlaying(player);
  const isAtStart = !session.now.value.step;
  const isAtTip = session.now.value === session.tip.value;
  return (
    <section class="play flow" aria-label={say('Play')}>
      <Button
        icon="first"
        title={say('To the start (Home)')}
        inactive={isAtStart}
        onClick={() => session.goTo(session.run.start)}
      />
      <Steps session={session} />
      <Button
        icon="last"
        title={say('To the end of this branch (End)')}
        inactive={isAtTip}
        onClick={() => session.goTo(session.tip.value)}
      />
      <Position session={session} />
      <Select
        aria-label={say('Speed, in steps a second')}
        value={player.speed.value}
        options={speeds.map((speed) => [speed, `${speed} /s`])}
        onChoose={(speed) => {
          player.speed.value = speed;
        }}
      />
      <Popover label={say('Simulate')} title={say('Simulate a run, and play it')}>
        {(close) => <SimulationForm session={session} onStart={close} />}
      </Popover>
      <span class="note ellipsis" role="status">
        {player.ended.value}
      </span>
    </section>
  );
}

export function Steps({ session }: SessionProps) {
  return (
    <>
      <Button
        icon="back"
        title={say('One step back (←)')}
        inactive={!canGoBack(session)}
        onClick={() => goBack(session)}
      />
      <Toggle player={playerOf(session)} />
      <Button
        icon="forward"
        title={say('One step forward (→)')}
        inactive={!canGoOn(session)}
        onClick={() => goOn(session)}
      />
    </>
  );
}

function Toggle({ player }: { readonly player: Player }) {
  const { playing, session } = player;
  const isEmpty = session.tip.value === session.run.start;
  const title = isEmpty ? say('Simulate a usual run, and play it (P)') : say('Play this run (P)');
  return (
    <Button
      icon={playing.value ? 'pause' : 'run'}
      title={playing.value ? say('Pause (P)') : title}
      onClick={() => void toggle(player)}
    />
  );
}

function Position({ session }: SessionProps) {
  const { value: path } = session.path;
  const { depth: at, step } = session.now.value;
  const last = path.length - 1;
  return (
    <>
      <input
        type="range"
        aria-label={say('Position in the run')}
        min={0}
        max={Math.max(last, 1)}
        value={at}
        disabled={last === 0}
        aria-valuetext={say('step {at} of {last}', { at, last })}
        onInput={({ currentTarget }) => {
          const moment = path[currentTarget.valueAsNumber];
          if (moment) session.goTo(moment);
        }}
      />
      <output class="note numbers">
        {at} / {last}
        {step?.time !== undefined && <span>{step.time.toFixed(1)} ms</span>}
      </output>
    </>
  );
}

/** Lets a player play, and all views move as long as its steps. */
export function usePlaying(player: Player): void {
  useFrames(player);
  useMotion(player);
}

/** Says how long steps move, for the motions of all views. */
function useMotion(player: Player): void {
  useEffect(
    () =>
      effect(() => {
        const { style } = document.documentElement;
        style.setProperty('--motion', `${player.motion.value}ms`);
        style.setProperty('--arrival', `${player.arrival.value}ms`);
        style.setProperty('--pace', player.drawnAt.value === undefined ? 'ease-out' : 'linear');
      }),
    [player],
  );
}

/** Lets time pass for the player, frame by frame, while it plays. */
function useFrames(player: Player): void {
  const { value: isPlaying } = player.playing;
  useEffect(() => {
    if (!isPlaying) return;
    let before = performance.now();
    let frame = requestAnimationFrame(function next(now) {
      player.advance(now - before);
      before = now;
      frame = requestAnimationFrame(next);
    });
    return () => {
      cancelAnimationFrame(frame);
      player.pause();
    };
  }, [player, isPlaying]);
}

/** What the user has chosen last, by protocol and network. */
const lastSettings = new Map<string, PlaySettings>();

/** A simulation begins at the start; random steps go on from the moment that is shown. */
function SimulationForm({ session, onStart }: SessionProps & { readonly onStart: () => void }) {
  const { setup, protocol } = session.system;
  const { commands } = protocol;
  const key = `${setup.protocol} ${setup.topology}`;
  const settings = useSignal(lastSettings.get(key) ?? usualSettings(session.system));
  const isBusy = useSignal(false);
  const simulate = () =>
    attempt(async () => {
      lastSettings.set(key, settings.value);
      isBusy.value = true;
      await nextFrame();
      await playSimulation(session, settings.value);
      onStart();
    }).finally(() => {
      isBusy.value = false;
    });
  return (
    <form
      class="play-form stack"
      onSubmit={(event) => {
        event.preventDefault();
        void simulate();
      }}
    >
      <h3>{say('Simulate')}</h3>
      <p class="note">
        {say(
          'Virtual time, drawn from the seed: same seed, same run. Pause anywhere and go on by hand.',
        )}
      </p>
      <Settings settings={settings} competes={'acquire' in commands && 'release' in commands} />
      <div class="play-buttons flow wraps">
        <button type="submit" class="button primary" disabled={isBusy.value}>
          {isBusy.value ? say('Simulating …') : say('Play')}
        </button>
        <Button
          title={say('From here on, each step is one of the possible actions, drawn from the seed')}
          onClick={() => {
            playerOf(session).walk(settings.value.seed);
            onStart();
          }}
        >
          {say('Random steps from here')}
        </Button>
      </div>
    </form>
  );
}

interface SettingsProps {
  readonly settings: Signal<PlaySettings>;
  readonly competes: boolean;
}

function Settings({ settings, competes }: SettingsProps) {
  const set = (change: Partial<PlaySettings>) => {
    settings.value = { ...settings.value, ...change };
  };
  const count = (name: 'seed' | 'entries' | keyof ChannelFaults<number>, step = 1) => ({
    ...({ type: 'number', required: true, min: 0, step, value: settings.value[name] } as const),
    onChange: ({ currentTarget }: InputEvent) => set({ [name]: currentTarget.valueAsNumber }),
  });
  const probability = (name: keyof ChannelFaults<number>) => ({
    ...count(name, 0.01),
    ...{ max: 1, hint: say('Probability, 0 to 1') },
  });
  const text = (name: 'delay' | 'crashes') => ({
    ...({ type: 'text', spellcheck: false, value: settings.value[name] } as const),
    onChange: ({ currentTarget }: InputEvent) => set({ [name]: currentTarget.value }),
  });
  const delays = 'fixed:5, uniform:1:10, exponential:20, geo';
  const crashes = say(
    'c@100; c@100+50 restarts it 50 ms later; c@100:inside, c@100:between: in the middle of a step, or not',
  );
  return (
    <div class="pair">
      <InputField label={say('Seed')} {...count('seed')} />
      <InputField label={say('Delay in ms')} hint={delays} {...text('delay')} />
      <SelectField
        label={say('Order of channels')}
        value={settings.value.order}
        options={(['fifo', 'any'] as const).map((order) => [order, say(order)])}
        onChoose={(order) => set({ order })}
      />
      {faults.channelFaultRows.map(({ tolerance }) => (
        <InputField key={tolerance} label={capital(say(tolerance))} {...probability(tolerance)} />
      ))}
      {competes && <InputField label={say('Entries of each node')} {...count('entries')} />}
      <InputField label={say('Crashes')} hint={crashes} {...text('crashes')} />
    </div>
  );
}

let latest: Player | undefined;

/** The player of a session; a new one is as fast as the one before. */
export const playerOf = memo((session: Session): Player => {
  const player = new Player(session);
  if (latest) player.speed.value = latest.speed.peek();
  latest = player;
  return player;
});

/**
 * Simulates the system of a session, opens the run at its beginning, and plays it.
 *
 * @throws {ConclaveError} `bad-input` for settings that make no sense.
 */
export async function playSimulation({ system }: Session, settings: PlaySettings): Promise<void> {
  const { link, ending } = simulatedLink(system, settings);
  await open(link);
  if (shown.value) playerOf(shown.value).play(ending);
}

/** Pauses, or plays: where nothing was tried yet, a usual simulation. */
export async function toggle(player: Player): Promise<void> {
  const { session } = player;
  if (player.playing.value || session.tip.value !== session.run.start) player.toggle();
  else await attempt(() => playSimulation(session, usualSettings(session.system)));
}
