import type { Session } from '../../model/session.js';

export function Play({ session }: { readonly session: Session }) {
  return <section aria-label="Play">{session.system.protocol.title}</section>;
}
