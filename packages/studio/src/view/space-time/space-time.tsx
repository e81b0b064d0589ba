import type { Session } from '../../model/session.js';

export function SpaceTime({ session }: { readonly session: Session }) {
  return <section aria-label="Space-time diagram">{session.system.protocol.title}</section>;
}
