import type { Session } from '../../model/session.js';

export function Specification({ session }: { readonly session: Session }) {
  return <article>{session.system.protocol.citation}</article>;
}
