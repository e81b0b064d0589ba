import type { Session } from '../../model/session.js';

export function Tried({ session }: { readonly session: Session }) {
  return <section aria-label="What was tried">{session.system.protocol.title}</section>;
}
