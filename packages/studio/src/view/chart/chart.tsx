import type { Session } from '../../model/session.js';

export function Chart({ session }: { readonly session: Session }) {
  return <section aria-label="Statechart">{session.system.protocol.title}</section>;
}
