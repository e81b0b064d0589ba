import { Player } from '../../model/player.js';
import type { Session } from '../../model/session.js';

const players = new WeakMap<Session, Player>();
let latest: Player | undefined;

/** The player of a session; a new one is as fast as the one before. */
export function playerOf(session: Session): Player {
  const known = players.get(session);
  if (known) return known;
  const player = new Player(session);
  if (latest) player.speed.value = latest.speed.peek();
  latest = player;
  players.set(session, player);
  return player;
}
