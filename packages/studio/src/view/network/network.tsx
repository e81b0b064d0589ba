import type { Session } from '../../model/session.js';

export function Network({ session }: { readonly session: Session }) {
  return <section aria-label="Network">{session.system.protocol.title}</section>;
}
