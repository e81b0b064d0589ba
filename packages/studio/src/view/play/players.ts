import { memo } from '../../base/collections.js';
import { type PlaySettings, played, usualSettings } from '../../model/play.js';
import { Player } from '../../model/player.js';
import type { Session } from '../../model/session.js';
import { attempt, open, session as shown } from '../studio.js';

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
  const { link, ending } = played(system, settings);
  await open(link);
  if (shown.value) playerOf(shown.value).play(ending);
}

/** Pauses, or plays: where nothing was tried yet, a usual simulation. */
export async function toggle(player: Player): Promise<void> {
  const { session } = player;
  if (player.playing.value || session.tip.value !== session.run.start) player.toggle();
  else await attempt(() => playSimulation(session, usualSettings(session.system)));
}
