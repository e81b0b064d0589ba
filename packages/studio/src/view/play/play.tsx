import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Player, speeds } from '../../model/player.js';
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { Select } from '../parts/field.js';
import { Popover } from '../parts/popover.js';
import { canGoBack, canGoOn, goBack, goOn } from '../script.js';
import type { SessionProps } from '../studio.js';
import './play.css';
import { toggle } from './play-simulation.js';
import { playerOf } from './players.js';
import { SimulationForm } from './simulation-form.js';

/** Plays the branch that is shown, a simulation, or random steps. */
export function Play({ session }: SessionProps) {
  const player = playerOf(session);
  usePlaying(player);
  const isAtStart = !session.now.value.step;
  const isAtTip = session.now.value === session.tip.value;
  return (
    <section class="play flow" aria-label={say('Play')}>
      <Button
        kind="quiet"
        icon="first"
        title={say('To the start (Home)')}
        inactive={isAtStart}
        onClick={() => session.goTo(session.run.start)}
      />
      <Steps session={session} />
      <Button
        kind="quiet"
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

/** Back, play and forward. */
export function Steps({ session }: SessionProps) {
  return (
    <>
      <Button
        kind="quiet"
        icon="back"
        title={say('One step back (←)')}
        inactive={!canGoBack(session)}
        onClick={() => goBack(session)}
      />
      <Toggle player={playerOf(session)} />
      <Button
        kind="quiet"
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
      kind="quiet"
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
