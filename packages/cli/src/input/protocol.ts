import { catalogue, protocolOf } from '@conclave/algorithms';
import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { type Checkable, checkableIn, looksLikePath, protocolIn } from './user-module.js';

/** How commands describe their argument `<protocol>`. */
export const protocolArgument =
  'id or name of the catalogue (A3, ricart-agrawala), or the path of a module of your own that exports a protocol';

/** How `check` describes it. */
export const checkArgument = `${protocolArgument}, or a system of plain functions`;

/** How the options that go with it read in the help. */
export const protocolOptions = {
  option: ['--option <name=value>', 'an option of the protocol, such as greedy=2 or piggyback; repeatable'],
  export: ['--export <name>', 'which export of your module is the protocol, where there are several'],
} as const;

interface ProtocolChoice {
  readonly option?: readonly string[] | undefined;
  readonly export?: string | undefined;
}

/**
 * The protocol that a command's argument names.
 *
 * @throws {ConclaveError} `bad-input`, also for options that it does not have.
 */
export async function protocolFor(argument: string, { option = [], export: exportName }: ProtocolChoice = {}): Promise<Protocol> {
  if (looksLikePath(argument)) {
    requireNoOption(option);
    return protocolIn(argument, exportName);
  }
  if (exportName !== undefined)
    throw new ConclaveError(
      'bad-input',
      `--export goes with a module of your own, and '${argument}' is no path`,
      'Write its path as ./module.ts.',
    );
  return protocolOf(argument, Object.fromEntries(option.map((text) => parsed(text, argument))));
}

/** What `check` is to look at: of a module, also a system of plain functions. @throws {ConclaveError} `bad-input`, as {@link protocolFor}. */
export async function checkableFor(argument: string, choice: ProtocolChoice): Promise<Checkable> {
  if (!looksLikePath(argument)) return { kind: 'protocol', protocol: await protocolFor(argument, choice) };
  requireNoOption(choice.option);
  return checkableIn(argument, choice.export);
}

function requireNoOption([first]: readonly string[] = []): void {
  if (first !== undefined)
    throw new ConclaveError('bad-input', `A protocol from a module has no --option, so '${first}' leads nowhere`, 'Set it in the module.');
}

/** `greedy=2`, or `piggyback` for `piggyback=true`; its type is what the catalogue says, so that the node '1' stays a string. */
function parsed(text: string, idOrName: string): [string, Json] {
  const [, name = text, value = 'true'] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const wanted = idOrName.toLowerCase();
  const entry = catalogue.find((entry) => entry.id.toLowerCase() === wanted || entry.name === wanted);
  const type = entry?.options.find((option) => option.name === name)?.type;
  if (type === 'number' && /^-?\d*\.?\d+$/.test(value)) return [name, Number(value)];
  if (type === 'boolean' && (value === 'true' || value === 'false')) return [name, value === 'true'];
  return [name, value];
}
