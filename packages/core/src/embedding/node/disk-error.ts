/** Errors of the file system as errors of Conclave: what fails, why, and what to try. */
import { ConclaveError } from '../../base/error.js';

const space = 'Make space on its disk.';
const rights = 'Let the user of this process write there, or give another path.';
const files = 'Raise the limit of open files of this process.';

/** What to try, by the code of the system. */
const cures: Readonly<Record<string, string>> = {
  ENOSPC: space,
  EDQUOT: 'Make space, or raise the quota of the user.',
  EFBIG: 'Raise the limit of the size of files (ulimit -f).',
  EACCES: rights,
  EPERM: rights,
  EROFS: rights,
  EMFILE: files,
  ENFILE: files,
};

/**
 * Does `act`. An error of the file system gets a name, the reason, and what to try.
 *
 * @param what fails, with its path: `The storage '/data/a' cannot be written`
 * @throws {ConclaveError} `unavailable`; any other error as it is.
 */
export function onDisk<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof ConclaveError || codeOf(error) === undefined) throw error;
    throw diskError(what, error);
  }
}

export function diskError(what: string, error: unknown, cure = cureOf(error)): ConclaveError {
  const why = error instanceof Error ? error.message : String(error);
  return new ConclaveError('unavailable', `${what}: ${why}`, cure, { cause: error });
}

/** What to try where the system failed with `error`. */
export const cureOf = (error: unknown): string =>
  cures[String(codeOf(error))] ??
  'Give a path on a disk of this machine that this process may write to.';

/** The code of the system, such as ENOSPC; undefined where it has none. */
export const codeOf = (error: unknown): unknown => Object(error).code;
