import { memo } from '../../base/memo.js';
import { Player } from '../../model/player.js';
import type { Session } from '../../model/session.js';

let latest: Player | undefined;

/** The player of a session; a new one is as fast as the one before. */
export const playerOf = memo((session: Session): Player => {
  const player = new Player(session);
  if (latest) player.speed.value = latest.speed.peek();
  latest = player;
  return player;
});
