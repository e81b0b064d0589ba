import type { Session } from '../../model/session.js';

export function Properties({ session }: { readonly session: Session }) {
  return <section aria-label="Properties">{session.system.protocol.title}</section>;
}
