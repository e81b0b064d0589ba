/** The Firefox of this machine, for `npm run verify -- --part firefox`. */
import { spawnSync } from 'node:child_process';
import { type Browser, firefox } from 'playwright-core';

const names = ['firefox-esr', 'firefox'];

export const firefoxPath: string | undefined = names
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
  .find(Boolean);

export const noFirefox = `No Firefox on this machine (${names.join(', ')}). Install it: apt-get install firefox-esr`;

/** Firefox as it is packaged, by WebDriver BiDi; without motion, and with a clipboard. */
export async function launchFirefox(): Promise<Browser> {
  if (firefoxPath === undefined) throw new Error(noFirefox);
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: firefoxPath,
    firefoxUserPrefs: { 'ui.prefersReducedMotion': 1, 'dom.events.testing.asyncClipboard': true },
  });
  withoutMedia(browser);
  return browser;
}

const unknown = 'emulation.setMediaFeaturesOverride';
type Send = (method: string, ...others: readonly unknown[]) => Promise<unknown>;

/** Playwright sets the media of each page, and ends where a Firefox does not know that command. */
function withoutMedia(browser: Browser): void {
  // private fields of Playwright; its version is pinned
  const { _connection } = browser as unknown as {
    readonly _connection: { toImpl(of: Browser): { readonly _browserSession: object } };
  };
  const session = Object.getPrototypeOf(_connection.toImpl(browser)._browserSession) as {
    send: Send;
  };
  const { send } = session;
  session.send = function (method, ...others) {
    return method === unknown ? Promise.resolve({}) : send.call(this, method, ...others);
  };
}
