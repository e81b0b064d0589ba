import { useEffect } from 'preact/hooks';
import { type Player, speeds } from '../../model/player.js';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { Popover } from '../parts/popover.js';
import './play.css';
import { playerOf } from './players.js';
import { SimulationForm } from './simulation-form.js';

/** Plays the branch that is shown, a simulation, or random steps. */
export function Play({ session }: { readonly session: Session }) {
  const player = playerOf(session);
  useFrames(player);
  return (
    <section class="play" aria-label="Play">
      <Button
        kind="quiet"
        title="To the start (Home)"
        inactive={!session.now.value.step}
        onClick={() => session.goTo(session.run.start)}
      >
        <Icon name="first" />
      </Button>
      <Button
        kind="quiet"
        title="One step back (←)"
        inactive={!session.now.value.step}
        onClick={() => session.back()}
      >
        <Icon name="back" />
      </Button>
      <Toggle player={player} />
      <Button
        kind="quiet"
        title="One step forward (→)"
        inactive={session.now.value === session.tip.value && !session.loop.value}
        onClick={() => session.forward()}
      >
        <Icon name="forward" />
      </Button>
      <Button
        kind="quiet"
        title="To the end of this branch (End)"
        inactive={session.now.value === session.tip.value}
        onClick={() => session.goTo(session.tip.value)}
      >
        <Icon name="last" />
      </Button>
      <Position session={session} />
      <Speed player={player} />
      <Popover label="Simulate" title="Simulate a run, and play it">
        {(close) => <SimulationForm session={session} onStart={close} />}
      </Popover>
      <span class="play-end" role="status">
        {player.ended.value}
      </span>
    </section>
  );
}

function Toggle({ player }: { readonly player: Player }) {
  const { playing, session } = player;
  const isEmpty = session.tip.value === session.run.start;
  return (
    <Button
      kind="quiet"
      title={
        playing.value
          ? 'Pause (P)'
          : isEmpty
            ? 'Nothing to play yet: take steps, or simulate'
            : 'Play this run (P)'
      }
      inactive={isEmpty && !playing.value}
      onClick={() => player.toggle()}
    >
      <Icon name={playing.value ? 'pause' : 'run'} />
    </Button>
  );
}

function Position({ session }: { readonly session: Session }) {
  const { now, path } = session;
  const [at, last] = [now.value.depth, path.value.length - 1];
  const time = now.value.step?.time;
  return (
    <>
      <input
        type="range"
        aria-label="Position in the run"
        min={0}
        max={Math.max(last, 1)}
        value={at}
        disabled={last === 0}
        aria-valuetext={`step ${at} of ${last}`}
        onInput={({ currentTarget }) => {
          const moment = path.value[currentTarget.valueAsNumber];
          if (moment) session.goTo(moment);
        }}
      />
      <output class="play-position">
        {at} / {last}
        {time !== undefined && <span>{time.toFixed(1)} ms</span>}
      </output>
    </>
  );
}

const Speed = ({ player }: { readonly player: Player }) => (
  <select
    aria-label="Speed, in steps a second"
    value={player.speed.value}
    onChange={({ currentTarget }) => {
      player.speed.value = Number(currentTarget.value);
    }}
  >
    {speeds.map((speed) => (
      <option key={speed} value={speed}>
        {speed} /s
      </option>
    ))}
  </select>
);

/** Lets time pass for the player, frame by frame, while it plays. */
function useFrames(player: Player): void {
  const isPlaying = player.playing.value;
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
