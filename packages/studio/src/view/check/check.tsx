import type { Session } from '../../model/session.js';

export function Check({ session }: { readonly session: Session }) {
  return <section aria-label="Check">{session.system.protocol.title}</section>;
}
