import { type Complaint, type ComplaintKind, Mismatch } from './complaint.js';

/** What was found so far, and where the reading is. */
export class Findings {
  readonly complaints: Complaint[] = [];
  readonly notes = new Set<string>();
  /** Whether everything could be repeated. */
  isComplete = true;
  /** What is being read. */
  at: Pick<Complaint, 'file' | 'line'> = { file: '', line: 0 };

  complain(kind: ComplaintKind, what: string, cure = ''): void {
    this.complaints.push({ kind, ...this.at, what, cure });
  }

  /** Complains of a mismatch. @throws any other error. */
  mismatch(error: unknown): void {
    if (!(error instanceof Mismatch)) throw error;
    this.complain(error.kind, error.what, error.cure);
  }

  /** Something could not be repeated. */
  miss(note: string): void {
    this.isComplete = false;
    this.notes.add(note);
  }
}
