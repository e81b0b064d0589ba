import type { Session } from '../../model/session.js';

export function TraceText({ session }: { readonly session: Session }) {
  return <section aria-label="Trace">{session.system.protocol.title}</section>;
}
