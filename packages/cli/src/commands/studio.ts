import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isInCatalogue } from '@conclave/algorithms/internal/load';
import { loadProtocol } from '@conclave/algorithms/load';
import { budgetOf, follow } from '@conclave/check/internal';
import type { Protocol } from '@conclave/core/protocol';
import { bundle, pageUrl, pageWith } from '@conclave/studio/internal/page';
import { linkText, parseLink } from '@conclave/studio/link';
import type { Command } from 'commander';
import { attempt, badInput } from '../errors.js';
import { looksLikePath, protocolsIn } from '../input/module.js';
import { declare, flag, negativeFlag, text, type ValuesOf } from '../input/options.js';
import { protocolFor, protocolOptions, readTopology, readTrace } from '../input/protocol.js';
import { answer, type Session } from '../session.js';

type Given = Parameters<typeof pageWith>[0];

const options = {
  trace: text('file', 'open with this run, as `conclave simulate --trace FILE` writes it'),
  link: text(
    'link',
    'open with this link, as `conclave check` prints it; what stands behind # is enough',
  ),
  ...protocolOptions,
  address: text(
    'url',
    'where others can open a studio: *Copy link* of the page leads there (default: what stands behind #)',
  ),
  out: text('file', 'where to write the page (default: a temporary folder)'),
  bundle: text('file', 'write only the bundled module, which can be dropped on any page'),
  watch: flag(
    'serve the page on this machine, and load it again at the same steps when a file in the folder of the module changes; Ctrl-C ends it',
  ),
  open: negativeFlag('do not open the page in a browser'),
  json: flag('print { file, url, protocols, opened }'),
};

type Options = ValuesOf<typeof options>;

const description = {
  name: 'studio',
  description: 'write the page that shows protocols and moves them by hand, and open it',
  argument: [
    'protocol',
    'id or name from the catalogue, or the path of a module of your own; none: the catalogue',
  ] as const,
  mayLackArgument: true as const,
  options,
  help: `The page is one file, which needs no server and no network. It holds the whole catalogue and
the protocols of your module.

Examples:
  conclave studio raymond
  conclave studio ./ticket-office.ts --watch
  conclave studio ./ticket-office.ts --bundle ticket-office.js`,
};

type Own = Readonly<Record<string, Protocol>>;

/** `conclave studio`: the page, with a module of the user's own, a trace or a link. */
export const studioCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, argument) => {
    const own = looksLikePath(argument) ? await ownFor(argument, options) : undefined;
    if (options.bundle !== undefined)
      await writeBundle(session, argument, own, options.bundle, options);
    else await writePage(session, argument, own, options);
  });

/**
 * The protocols of a module. A catalogue's option has no effect there: {@link protocolFor} says so.
 */
async function ownFor(path: string, { option, export: exportName }: Options): Promise<Own> {
  if (option !== undefined) await protocolFor(path, { option });
  return protocolsIn(path, exportName);
}

async function writeBundle(
  session: Session,
  argument: string,
  own: Own | undefined,
  path: string,
  { json, ...others }: Options,
): Promise<void> {
  if (!own)
    throw badInput(
      '--bundle is for a module of your own',
      'Name it, as in: npx conclave studio ./module.ts --bundle module.js',
    );
  const [surplus] = (['trace', 'link', 'address', 'out', 'watch'] as const).filter(
    (name) => others[name] !== undefined,
  );
  if (surplus)
    throw badInput(
      `--${surplus} is for a page, and --bundle writes none`,
      'Leave one of them out.',
    );
  const script = await bundle(argument, own);
  attempt(`The bundled module cannot be written to '${path}'`, () => writeFileSync(path, script));
  const protocols = namesOf(own);
  answer(
    session,
    json,
    { file: path, protocols },
    () => `Wrote ${path} (${protocols.join(', ')}). Drop it on a page of conclave studio.\n`,
  );
}

async function writePage(
  session: Session,
  argument: string,
  own: Own | undefined,
  options: Options,
): Promise<void> {
  const protocols =
    own ?? (argument === '' ? {} : { [argument]: await protocolFor(argument, options) });
  if (argument === '' && (options.option ?? options.export) !== undefined)
    throw badInput(
      `--${options.option ? 'option' : 'export'} is for one protocol`,
      'Name it, as in: npx conclave studio A7 --option greedy=2',
    );
  const start = await startOf(argument, protocols, options);
  const given: Given = {
    ...(own && { modules: [await bundle(argument, own)] }),
    ...start,
    ...(options.address !== undefined && { address: addressOf(options.address) }),
  };
  const isShipped = Object.keys(given).length === 0 && options.out === undefined;
  const path = isShipped ? fileURLToPath(pageUrl) : (options.out ?? temporaryFile());
  if (!isShipped)
    attempt(`The page cannot be written to '${path}'`, () => writeFileSync(path, pageWith(given)));
  const served = options.watch ? await serve(session, argument, path, options) : undefined;
  const url = served?.url ?? pathToFileURL(resolve(path)).href;
  const mayOpen = options.open !== false && session.openInBrowser !== undefined;
  const opened = mayOpen && (await session.openInBrowser?.(url)) === true;
  answer(session, options.json, { file: path, url, protocols: namesOf(protocols), opened }, () => {
    const note = opened
      ? 'It opens in the browser.\n'
      : 'No browser could be started: open this address in one.\n';
    return `${url}\n${mayOpen ? note : ''}`;
  });
  await served?.over();
}

/** Serves the page, and has this command line write it again, with all but `--watch`. */
function serve(session: Session, module: string, page: string, { out, open }: Options) {
  if (!looksLikePath(module))
    throw badInput(
      '--watch is for a module of your own',
      'Name it, as in: npx conclave studio ./module.ts --watch',
    );
  const argv = [
    ...session.argv.filter((word) => word !== '--watch'),
    ...(out === undefined ? ['--out', page] : []),
    ...(open === false ? [] : ['--no-open']),
  ];
  session.whenInterrupted?.('the page is served no longer');
  return watched(session, { module, page, argv });
}

/** @throws {ConclaveError} `bad-input` for a text that is no address of a page. */
function addressOf(text: string): string {
  if (/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')) return text;
  throw badInput(
    `'${text}' is no address of a page`,
    'Give it whole: --address https://example.org/studio.html',
  );
}

const namesOf = (protocols: Own): readonly string[] =>
  Object.values(protocols).map(({ name }) => name);

function temporaryFile(): string {
  const cure = 'Say where to write the page by --out FILE.';
  const folder = attempt(
    'No temporary folder can be made',
    () => mkdtempSync(join(tmpdir(), 'conclave-studio-')),
    cure,
  );
  return join(folder, 'studio.html');
}

/** What the page opens with: the run of a trace, a link, or else the one protocol. */
async function startOf(
  argument: string,
  protocols: Own,
  options: Options,
): Promise<Pick<Given, 'trace' | 'link'>> {
  const { trace, link } = options;
  if (trace !== undefined && link !== undefined)
    throw badInput('A page opens with a trace or with a link', 'Leave out --trace or --link.');
  if (trace !== undefined) return { trace: await traceFor(trace, argument, protocols) };
  if (link !== undefined) return { link: linkFor(link, protocols) };
  const [only, ...others] = Object.values(protocols);
  if (!only || others.length > 0) return {};
  const setup = {
    protocol: only.name,
    options: looksLikePath(argument) ? {} : (only.options ?? {}),
    budget: {},
  };
  return { link: linkText({ setup, view: 'world', steps: [] }) };
}

/** The trace of a file, if it is one of these protocols, or of the catalogue. */
async function traceFor(
  file: string,
  argument: string,
  protocols: Own,
): Promise<NonNullable<Given['trace']>> {
  const { text, trace, recorded, spec } = readTrace(file);
  const known = Object.values(protocols).find(({ name }) => name === recorded.name);
  if (!known && argument !== '')
    throw badInput(
      `${recorded.what} of '${recorded.name}', and not of ${namesOf(protocols).join(', ')}`,
      `Name the module or the protocol '${recorded.name}'.`,
    );
  if (!known && !isInCatalogue(recorded.name))
    throw badInput(
      `${recorded.what} of '${recorded.name}', which is not in the catalogue`,
      `Name its module: npx conclave studio ./module.ts --trace ${file}`,
    );
  const protocol = known ?? (await loadProtocol(recorded.name, recorded.options));
  attempt(`${file} is no run of ${protocol.title}`, () =>
    follow(protocol, readTopology(spec), trace, budgetOf(protocol, trace)),
  );
  return { name: file, text };
}

/** The part of a link behind `#`, if it can be read and its protocol is known. */
function linkFor(given: string, protocols: Own): string {
  const text = given.replace(/^[^#]*#/, '');
  const link = parseLink(text);
  if (!link)
    throw badInput('The link is empty', 'Copy what stands behind # in the address of a page.');
  const { protocol } = link.setup;
  if (!namesOf(protocols).includes(protocol) && !isInCatalogue(protocol))
    throw badInput(
      `The link is about '${protocol}', which is not in the catalogue`,
      'Name its module: npx conclave studio ./module.ts --link LINK',
    );
  return text;
}

const bin = fileURLToPath(new URL('../../bin/conclave.js', import.meta.url));

/** The address of the page keeps its steps: where one does not fit any more, it shows those before. */
const reload = (version: number): string =>
  `<script>new EventSource('changes?${version}').onmessage = () => location.reload();</script>`;

const changed = 'data: new\n\n';

/** In milliseconds: editors write a file in several steps. */
const pause = 100;

export interface Watched {
  readonly url: string;
  /** Resolves when the user interrupts the command. */
  readonly over: () => Promise<void>;
}

/**
 * Serves a page on this machine, and writes it again when a file in the folder of its module
 * changes; all that show it load it then.
 *
 * @param argv the command that writes the page, in a process of its own: a module is loaded once
 */
export async function watched(
  session: Session,
  { module, page, argv }: { module: string; page: string; argv: readonly string[] },
): Promise<Watched> {
  const listeners = new Set<ServerResponse>();
  let version = 0;
  const server = createServer(({ url }, response) => {
    if (url?.startsWith('/changes?')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      listeners.add(response);
      // it was written again while the page was on its way
      if (url !== `/changes?${version}`) response.write(changed);
      response.on('close', () => listeners.delete(response));
    } else if (url === '/') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      // the policy of the page permits no connection
      const text = readFileSync(page, 'utf8').replace(
        "default-src 'none'",
        "$&; connect-src 'self'",
      );
      response.end(text + reload(version));
    } else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = async () => {
    const child = spawn(process.execPath, [bin, ...argv], { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      complaint += text;
    });
    await once(child, 'close');
    if (child.exitCode !== 0) return session.stderr(complaint);
    version++;
    for (const listener of listeners) listener.write(changed);
  };
  const watcher = watch(dirname(resolve(module)), (_, file) => {
    if (!/\.[cm]?[jt]sx?$/.test(file ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      writing = writing.then(write);
    }, pause);
  });
  const over = () =>
    new Promise<void>((done) => {
      const look = setInterval(() => {
        if (session.interrupted?.() !== true) return;
        clearInterval(look);
        clearTimeout(timer);
        watcher.close();
        server.close();
        server.closeAllConnections();
        done();
      }, pause);
    });
  return { url: `http://127.0.0.1:${port}/`, over };
}
