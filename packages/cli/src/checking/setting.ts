import type { Protocol } from '@conclave/core/protocol';
import type { Trace } from '@conclave/core/trace';
import { budgetFor } from '../input/budget.js';
import { type CheckOptions, requireConsistent } from '../input/check-options.js';
import { beyondAssumptions } from '../input/conditions.js';
import { networkFor } from '../input/network.js';
import { wroteText } from '../output/again.js';
import type { Setting } from '../output/check-summary.js';
import { requireWritable, writeTrace } from '../output/trace-file.js';
import { remark, type Session } from '../session.js';
import { asked } from './asked.js';

/** What the options ask to check of a protocol; what a person should know of it is told. @throws {ConclaveError} `bad-input`, `bad-topology`. */
export function settingOf(session: Session, protocol: Protocol, options: CheckOptions): Setting {
  requireConsistent(protocol, options);
  const { topology, note } = networkFor(protocol, options.topology, 3);
  const budget = budgetFor(protocol, options);
  if (options.trace !== undefined) requireWritable(options.trace);
  const { order, losses: loss, duplications: duplication, partitions } = budget;
  remark(session, note, beyondAssumptions(protocol, { order, loss, duplication, partitions }));
  return { protocol, topology, budget, ...asked(protocol.properties, options.safety) };
}

/** Writes a counterexample where `--trace` asks for it, and tells so; nothing when it does not. */
export function written(name: string, options: CheckOptions, trace: Trace | undefined): string | undefined {
  if (options.trace === undefined) return undefined;
  if (!trace) return `There is no counterexample, so ${options.trace} was not written.\n`;
  return wroteText(name, options, writeTrace(options.trace, trace));
}
