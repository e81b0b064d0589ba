import type { Session } from '../../model/session.js';

export function Actions({ session }: { readonly session: Session }) {
  return <section aria-label="What can happen">{session.system.protocol.title}</section>;
}
