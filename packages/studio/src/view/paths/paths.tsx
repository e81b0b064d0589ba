import type { Session } from '../../model/session.js';

export function Paths({ session }: { readonly session: Session }) {
  return <section aria-label="Paths">{session.system.protocol.title}</section>;
}
