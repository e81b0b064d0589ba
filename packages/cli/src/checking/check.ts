/** What a check is about: one value, made once from the arguments. */
import { isOfRuns } from '@conclave/core/internal/protocol';
import type { Property, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { budgetFor, type CheckBudget, warningsOf } from '../input/environment.js';
import { networkFor } from '../input/protocol.js';
import { requireWritable } from '../output/trace.js';
import { remark, type Session } from '../session.js';
import { type CheckOptions, requireConsistent } from './options.js';

export interface Check<P> {
  readonly session: Session;
  /** As the user wrote it: an id or name of the catalogue, or the path of a module. */
  readonly name: string;
  readonly options: CheckOptions;
  readonly fairness: NonNullable<CheckOptions['fair']>;
  /** The properties to judge, and those that `--safety` leaves out. */
  readonly properties: readonly P[];
  readonly leftOut: readonly P[];
}

export interface ProtocolCheck extends Check<Property> {
  readonly protocol: Protocol;
}

/** The check of a protocol on one network, with what the environment may do there. */
export interface NetworkCheck extends ProtocolCheck {
  readonly topology: Topology;
  readonly budget: CheckBudget;
}

export function checkOf<P extends Pick<Property, 'kind'>>(
  session: Session,
  name: string,
  options: CheckOptions,
  all: readonly P[],
): Check<P> {
  const { fair: fairness = 'weak', safety = false } = options;
  const isLeftOut = (property: P) => safety && isOfRuns(property);
  const [properties, leftOut] = [all.filter((one) => !isLeftOut(one)), all.filter(isLeftOut)];
  return { session, name, options, fairness, properties, leftOut };
}

/** @throws {ConclaveError} `bad-input` for options that do not go together. */
export function protocolCheck(
  session: Session,
  name: string,
  options: CheckOptions,
  protocol: Protocol,
): ProtocolCheck {
  requireConsistent(options);
  return { ...checkOf(session, name, options, protocol.properties), protocol };
}

/**
 * The check of the one system that the options describe; what a person should know about it is
 * printed.
 *
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
export function networkCheck(check: ProtocolCheck): NetworkCheck {
  const { session, protocol, options } = check;
  const { topology, note } = networkFor(protocol, options.topology, 3);
  const budget = budgetFor(protocol, options);
  requireWritable(options);
  remark(session, note, warningsOf(protocol, budget));
  return { ...check, topology, budget };
}
