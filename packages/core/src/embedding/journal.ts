/**
 * Where an embedded node writes its journal: one line for each step, in the one text form.
 *
 * @example embed(protocol, { self, peers, transport, journal: fileJournal('journals', 'a') });
 */
export interface Journal {
  /** Takes one line, without its end of line. It may be buffered. */
  append(line: string): void;
  /** Hands over what is buffered. */
  close(): Promise<void>;
}
