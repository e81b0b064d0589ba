import type { Session } from '../../model/session.js';

export function SetupForm({ session }: { readonly session: Session }) {
  return <section aria-label="Setup">{session.system.protocol.title}</section>;
}
